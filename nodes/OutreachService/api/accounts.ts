/** The accounts that this process sends requests for: an account is one API key at one host. */
import { createHash } from 'crypto';

import type { ServiceCredential } from './credential';
import { RateLimiter } from './rateLimiter';

/** What all requests of an account share, whatever the workflow or the node. */
export type Account = {
	/** Identifies the account, for locks: the same webhook ID or URL may mean something else at another service. */
	id: string;
	/** Another process has a limiter of its own for the account, which is why a 429 is still retried. */
	limiter: RateLimiter;
};

/** The account of each credential that was used in this process. */
export class Accounts {
	private readonly accounts = new Map<string, Account>();

	get size(): number {
		return this.accounts.size;
	}

	/** The account that a credential belongs to. */
	of(credential: ServiceCredential): Account {
		const id = accountIdOf(credential);
		const account = this.accounts.get(id) ?? { id, limiter: new RateLimiter() };
		this.accounts.set(id, account);
		return account;
	}
}

/**
 * One API key at one host, however the path of the base URL is written. It is a digest, because accounts are remembered for
 * as long as the process runs, and an API key must not be.
 */
const accountIdOf = ({ baseUrl, apiKey }: ServiceCredential): string =>
	createHash('sha256')
		.update(`${new URL(baseUrl).origin}\n${apiKey}`)
		.digest('base64');
