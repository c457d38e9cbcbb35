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

	/** @param node workflow and node */
	get(node: string, create: () => Client): Client {
		const client = this.clients.get(node) ?? create();
		if (this.clients.has(node)) return client;
		this.clients.set(node, client);
		void sleep(KEPT_MS).then(() => this.clients.delete(node));
		return client;
	}
}
