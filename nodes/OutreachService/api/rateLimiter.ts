import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { Mutex } from '../utils/mutex';
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

/**
 * Lets at most {@link REQUESTS_PER_WINDOW} requests start in any window (§8.1), in the order in which they asked.
 *
 * The service counts a request when it arrives, which is some time between its start here and its response. So a slot
 * becomes free a window after the response, not after the start: then no two requests can arrive closer together than
 * they left, however uneven the network is.
 */
export class RateLimiter {
	private readonly freeAt: number[] = Array.from({ length: REQUESTS_PER_WINDOW }, () => 0);

	private readonly queue = new Mutex();

	private notBefore = 0;

	/**
	 * Waits for a slot and takes it. Whoever gives up leaves the queue; the others keep their order.
	 * @param ms how long at the most, in milliseconds
	 * @param afterMs how long it does not even join the queue, in milliseconds
	 * @returns to be called when the response has arrived, or never will
	 * @throws DeadlineError, CancelledError
	 */
	async acquire(ms: number, cancel?: AbortSignal, afterMs = 0): Promise<Release> {
		return await within(ms, cancel, async (abandoned) => {
			if (afterMs > 0) await sleep(Math.ceil(afterMs));
			return await this.queue.run('', async () => await this.next(abandoned));
		});
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

	/** Waits at the head of the queue until a slot is free, and takes it, unless whoever waits has given up. */
	private async next(abandoned: AbortSignal): Promise<Release> {
		while (!abandoned.aborted) {
			const now = performance.now();
			// A response that arrives from now on frees its slot a window later, so no slot can become free before that.
			const untilFree = Math.min(Math.min(...this.freeAt) - now, WINDOW_MS);
			const wait = Math.max(untilFree, this.notBefore - now);
			if (wait <= 0) return this.take();
			await sleep(Math.ceil(wait));
		}
		return () => undefined;
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
