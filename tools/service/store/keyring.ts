import { Arrivals } from '../api/arrivals';
import type { Stats } from '../serviceTypes';
import { RateLimiter } from '../api/rateLimit';

/** An API key: whose it is, and what came in with it (§5, §8.1: the limit is counted for each key). */
export interface ApiKey {
	readonly key: string;
	/** Place in the order in which keys were added, from 0. */
	readonly index: number;
	/** Undefined: the team of the caller is invalid (§7, Bad team). */
	readonly team: string | undefined;
	readonly limiter: RateLimiter;
	readonly arrivals: Arrivals;
}

/** The keys that are valid now, and those that were: their figures are still asked for. */
export class Keyring {
	private readonly valid = new Map<string, ApiKey>();
	private readonly known = new Map<string, ApiKey>();

	constructor(private readonly defaultTeam: string) {}

	/**
	 * Adding a key again brings it back with its figures, unless the team differs.
	 * @param ofTeam `null`: the team is invalid.
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
						arrivals: new Arrivals(),
					};
		this.known.set(key, entry);
		this.valid.set(key, entry);
		return entry;
	}

	/** @returns whether the key was valid until now. */
	remove(key: string): boolean {
		return this.valid.delete(key);
	}

	/** The key, if it is valid. */
	find(key: string): ApiKey | undefined {
		return this.valid.get(key);
	}

	/** Figures of one key, or of all there ever were together. */
	stats(apiKey?: string): Stats {
		const arrivals = [...this.known.values()]
			.filter(({ key }) => apiKey === undefined || key === apiKey)
			.map((entry) => entry.arrivals);
		return {
			requests: arrivals.reduce((sum, { requests }) => sum + requests, 0),
			refused: arrivals.reduce((sum, { refused }) => sum + refused, 0),
			maxStartsInWindow: Math.max(0, ...arrivals.map(({ maxStartsInWindow }) => maxStartsInWindow)),
		};
	}
}
