import { DEFAULT_TEAM } from './model/activity';
import { RateLimiter, RequestCounter } from './rateLimit';

/**
 * Reads the API key from an `Authorization` header: scheme Basic with the base64 encoding of `:KEY` (§5.3).
 * @returns undefined for anything else, such as another scheme, a login, an empty key or invalid base64.
 */
export function apiKeyFrom(header: string | undefined): string | undefined {
	const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
	if (encoded === undefined) return undefined;
	const decoded = Buffer.from(encoded, 'base64').toString('utf8');
	return decoded.startsWith(':') && decoded.length > 1 ? decoded.slice(1) : undefined;
}

/** An API key with its rate limiter and counter: the limit applies per key (§8.1). */
interface ApiKey {
	/** Undefined if the team is invalid (§7, Bad team). */
	readonly team: string | undefined;
	readonly limiter: RateLimiter;
	readonly counter: RequestCounter;
	/** A removed key keeps its statistics. */
	isValid: boolean;
}

/** Request statistics of one API key, or of all. */
export interface Stats {
	/** Requests with a valid key. */
	requests: number;
	/** Requests over the limit. */
	refused: number;
	/** The most requests with one key within any window (`rateLimitWindowMs`), including those over the limit. */
	maxStartsInWindow: number;
}

/** All API keys, including those that are no longer valid. */
export class Keyring {
	private readonly known = new Map<string, ApiKey>();

	/**
	 * Adds a key. One that was added before keeps its statistics, unless the team differs.
	 * @param ofTeam `null` for a key whose team is invalid.
	 */
	add(key: string, ofTeam: string | null = DEFAULT_TEAM): void {
		const team = ofTeam ?? undefined;
		const before = this.known.get(key);
		if (before !== undefined && before.team === team) before.isValid = true;
		else {
			const counts = { limiter: new RateLimiter(), counter: new RequestCounter() };
			this.known.set(key, { team, ...counts, isValid: true });
		}
	}

	/** @returns whether the key was valid. */
	remove(key: string): boolean {
		const entry = this.find(key);
		if (entry) entry.isValid = false;
		return entry !== undefined;
	}

	/** Finds a valid key. */
	find(key: string | undefined): ApiKey | undefined {
		const entry = this.known.get(key ?? '');
		return entry?.isValid === true ? entry : undefined;
	}

	/** Replaces every key in a path, removed ones included. */
	redact(path: string): string {
		return [...this.known.keys()]
			.map((key) => encodeURIComponent(key))
			.reduce((text, key) => text.replaceAll(key, '(API key)'), path);
	}

	/** The statistics of one key, or of all keys together, including removed ones. */
	stats(apiKey?: string): Stats {
		const counters = [...this.known.entries()]
			.filter(([key]) => apiKey === undefined || key === apiKey)
			.map(([, { counter }]) => counter);
		return {
			requests: counters.reduce((sum, { requests }) => sum + requests, 0),
			refused: counters.reduce((sum, { refused }) => sum + refused, 0),
			maxStartsInWindow: Math.max(0, ...counters.map(({ maxStartsInWindow }) => maxStartsInWindow)),
		};
	}
}
