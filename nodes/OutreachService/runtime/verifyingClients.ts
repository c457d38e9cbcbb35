/** Credentials that were read for the verification of deliveries. */
import { sleep } from 'n8n-workflow';

import type { Client } from '../api/client';

/**
 * How long a client with its credential is kept, in milliseconds. It is kept, so that not every delivery of a burst, or of
 * a flood of forged ones, reads n8n's database (D67). It is not kept long, because the credential may get another key, or
 * become readable again.
 */
const KEPT_MS = 1_000;

/** The clients that derive secrets for the verification of deliveries: each reads the credential once. */
export class VerifyingClients {
	private readonly clients = new Map<string, Client>();

	get size(): number {
		return this.clients.size;
	}

	/** The client of a node, which is created unless there is one. @param key identifies the node and its credential */
	get(key: string, create: () => Client): Client {
		const kept = this.clients.get(key);
		if (kept) return kept;
		const client = create();
		this.clients.set(key, client);
		void this.forgetLater(key);
		return client;
	}

	private async forgetLater(key: string): Promise<void> {
		await sleep(KEPT_MS);
		this.clients.delete(key);
	}
}
