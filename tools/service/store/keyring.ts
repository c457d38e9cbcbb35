import { RequestCounter } from '../api/requestCounter';
import type { Stats } from '../serviceTypes';
import { RateLimiter } from '../api/rateLimit';

/** An API key with its rate limiter and counter: the limit applies per key (§8.1). */
export interface ApiKey {
	readonly key: string;
	/** Index in the order in which keys were added, from 0. */
	readonly index: number;
	/** Undefined if the team is invalid (§7, Bad team). */
	readonly team: string | undefined;
	readonly limiter: RateLimiter;
	readonly counter: RequestCounter;
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
	add(key: string, ofTeam: string | null = this.defaultTeam): ApiKey {
		const team = ofTeam ?? undefined;
		const before = this.known.get(key);
		const entry =
			before && before.team === team
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
		return entry;
	}

	/** @returns whether the key was valid. */
	remove(key: string): boolean {
		return this.valid.delete(key);
	}

	/** Finds a valid key. */
	find(key: string): ApiKey | undefined {
		return this.valid.get(key);
	}

	/** All keys, removed ones included. */
	texts(): string[] {
		return [...this.known.keys()];
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
