import { sleep } from 'n8n-workflow';

import type { Client } from '../api/client';

/**
 * How long a credential that was read counts, in milliseconds: it may get another key, or become readable again, and
 * neither a burst nor a flood of forged deliveries must cost a read of the database each (D67).
 */
const KEPT_MS = 1_000;

/** The clients that derive secrets for the verification of deliveries: each reads the credential once. */
export class VerifyingClients {
	private readonly clients = new Map<string, Client>();

	get size(): number {
		return this.clients.size;
	}

	/** Has every credential read again. */
	forget(): void {
		this.clients.clear();
	}

	/** @param key the node, and what tells which credential it uses */
	get(key: string, create: () => Client): Client {
		const client = this.clients.get(key) ?? create();
		if (this.clients.has(key)) return client;
		this.clients.set(key, client);
		void this.forgetLater(key);
		return client;
	}

	private async forgetLater(key: string): Promise<void> {
		await sleep(KEPT_MS);
		this.clients.delete(key);
	}
}
