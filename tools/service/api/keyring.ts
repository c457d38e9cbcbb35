import { RateLimiter, RequestCounter } from './rateLimit';

/** An API key with its rate limiter and counter: the limit applies per key (§8.1). */
interface ApiKey {
	readonly key: string;
	/** Index in the order in which keys were added, from 0. */
	readonly index: number;
	/** Undefined if the team is invalid (§7, Bad team). */
	readonly team: string | undefined;
	readonly limiter: RateLimiter;
	readonly counter: RequestCounter;
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

/** The valid API keys, and the removed ones, whose statistics remain available. */
export class Keyring {
	private readonly valid = new Map<string, ApiKey>();
	private readonly known = new Map<string, ApiKey>();

	constructor(private readonly defaultTeam: string) {}

	/**
	 * Adds a key. One that was added before keeps its statistics, unless the team differs.
	 * @param ofTeam `null` for a key whose team is invalid.
	 */
	add(key: string, ofTeam: string | null = this.defaultTeam): void {
		const team = ofTeam ?? undefined;
		const before = this.known.get(key);
		const entry =
			before?.team === team && before !== undefined
				? before
				: {
						key,
						index: before?.index ?? this.known.size,
						team,
						limiter: new RateLimiter(),
						counter: new RequestCounter(),
					};
		this.known.set(key, entry);
		this.valid.set(key, entry);
	}

	/** @returns whether the key was valid. */
	remove(key: string): boolean {
		return this.valid.delete(key);
	}

	/** Finds a valid key. */
	find(key: string | undefined): ApiKey | undefined {
		return key === undefined ? undefined : this.valid.get(key);
	}

	/** Replaces every key in a text, removed ones included. A key that is only a part of a longer word stays. */
	redact(text: string): string {
		// The longest first: a key may begin with another one.
		const forms = [...this.known.keys()]
			.flatMap((key) => [key, encodeURIComponent(key)])
			.sort((a, b) => b.length - a.length)
			.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
		if (forms.length === 0) return text;
		const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${forms.join('|')})(?![A-Za-z0-9])`, 'g');
		return text.replace(pattern, '(API key)');
	}

	/** The statistics of one key, or of all keys together, including removed ones. */
	stats(apiKey?: string): Stats {
		const counters = [...this.known.values()]
			.filter(({ key }) => apiKey === undefined || key === apiKey)
			.map(({ counter }) => counter);
		return {
			requests: counters.reduce((sum, { requests }) => sum + requests, 0),
			refused: counters.reduce((sum, { refused }) => sum + refused, 0),
			maxStartsInWindow: Math.max(0, ...counters.map(({ maxStartsInWindow }) => maxStartsInWindow)),
		};
	}
}
