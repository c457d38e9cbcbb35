import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { within } from '../utils/within';

/** The rate limit (§8.1): the maximum number of requests … */
export const REQUESTS_PER_WINDOW = 20;
/** … in so many milliseconds, counted for each API key. */
export const WINDOW_MS = 2000;
/**
 * Past this, in milliseconds, a request without a response no longer holds its slot: one that hangs must not slow down
 * the others for long. Shorter would be too short for a busy n8n, which can take a second until the request is out.
 */
const LONGEST_TRIP_MS = 2000;
type Release = () => void;
type Waiter = { go: (release: Release) => void; abandoned: AbortSignal };

/**
 * Lets at most {@link REQUESTS_PER_WINDOW} requests start in any window (§8.1), in the order in which they asked.
 *
 * The service counts a request when it arrives, which is some time between its start here and its response. So a slot
 * becomes free a window after the response, not after the start: then no two requests can arrive closer together than
 * they left, however uneven the network is.
 */
export class RateLimiter {
	private readonly freeAt: number[] = Array.from({ length: REQUESTS_PER_WINDOW }, () => 0);

	private readonly waiting: Waiter[] = [];

	private notBefore = 0;

	private pumping = false;

	/**
	 * Waits for a slot and takes it. Whoever gives up leaves the queue; the others keep their order.
	 * @param ms how long at the most, in milliseconds
	 * @returns to be called when the response has arrived, or never will
	 * @throws DeadlineError, CancelledError
	 */
	async acquire(ms: number, cancel?: AbortSignal): Promise<Release> {
		const wait = async (abandoned: AbortSignal): Promise<Release> =>
			await new Promise<Release>((go) => {
				this.waiting.push({ go, abandoned });
				void this.pump();
			});
		return await within(ms, cancel, wait);
	}

	/** Lets nobody start for so many milliseconds: the service said that the limit is used up (§8.2). */
	holdBack(ms: number): void {
		this.notBefore = Math.max(this.notBefore, performance.now() + ms);
	}

	private take(): Release {
		const slot = this.freeAt.indexOf(Math.min(...this.freeAt));
		const latest = performance.now() + LONGEST_TRIP_MS + WINDOW_MS;
		this.freeAt[slot] = latest;
		return () => {
			const freeAt = performance.now() + WINDOW_MS;
			if (this.freeAt[slot] === latest && freeAt < latest) this.freeAt[slot] = freeAt;
		};
	}

	/** Only one pump runs at a time, so slots are handed out one by one. */
	private async pump(): Promise<void> {
		if (this.pumping) return;
		this.pumping = true;
		for (;;) {
			while (this.waiting[0]?.abandoned.aborted) this.waiting.shift();
			if (this.waiting.length === 0) break;
			const now = performance.now();
			// A response that arrives from now on frees its slot a window later, so no slot can become free before that.
			const untilFree = Math.min(Math.min(...this.freeAt) - now, WINDOW_MS);
			const wait = Math.max(untilFree, this.notBefore - now);
			if (wait > 0) {
				await sleep(Math.ceil(wait));
				continue;
			}
			this.waiting.shift()?.go(this.take());
		}
		this.pumping = false;
	}
}

/**
 * The limiter of each API key at each host (§8.1). Trigger and action, and all executions of a process, share it;
 * another process has its own, which is why a 429 is still retried.
 */
export class RateLimiters {
	private readonly limiters = new Map<string, RateLimiter>();

	get size(): number {
		return this.limiters.size;
	}

	/** The limiter of a credential, however the path of its base URL is written. */
	for(credential: { baseUrl: string; apiKey: string }): RateLimiter {
		// A digest, so that no key is held in memory for longer than a request takes.
		const key = createHash('sha256')
			.update(`${new URL(credential.baseUrl).origin}\n${credential.apiKey}`)
			.digest('base64');
		const limiter = this.limiters.get(key) ?? new RateLimiter();
		this.limiters.set(key, limiter);
		return limiter;
	}
}
