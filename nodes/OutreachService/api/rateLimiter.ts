import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { CancelledError, throwIfCancelled } from './cancellation';

/** §8.1: so many requests … */
export const REQUESTS_PER_WINDOW = 20;
/** … in so many milliseconds, counted for each API key. */
export const WINDOW_MS = 2000;

/**
 * Past this a request without an answer no longer keeps its place: one that hangs must not slow down the others for
 * long. Shorter would be too short for a busy n8n, which can take a second from here until the request is out.
 */
const LONGEST_TRIP_MS = 2000;
/** The maximum number of limiters; beyond that, idle ones are removed. */
const MAX_LIMITERS = 500;

type Release = () => void;
type Waiter = { go: (release: Release) => void };

/**
 * Lets at most 20 requests start in any 2 s (§8.1), in the order in which they asked.
 *
 * The service counts a request when it arrives, which is some time between our start and its answer. So a place
 * becomes free 2 s after the answer, not after the start: then no two requests can arrive closer together than
 * they left, however uneven the network is.
 */
export class RateLimiter {
	private readonly freeAt: number[] = Array.from({ length: REQUESTS_PER_WINDOW }, () => 0);

	private readonly waiting: Waiter[] = [];

	private notBefore = 0;

	private pumping = false;

	/** True when nobody waits and every place is free: such a limiter can be thrown away. */
	get idle(): boolean {
		const now = performance.now();
		return !this.pumping && this.notBefore <= now && this.freeAt.every((at) => at <= now);
	}

	/**
	 * Waits for a place and takes it.
	 * @param signal leaves the queue when it is aborted, without harm to the others in it
	 * @returns call it when the answer is there (or will never come)
	 * @throws CancelledError when it is aborted while waiting
	 */
	async acquire(signal?: AbortSignal): Promise<Release> {
		throwIfCancelled(signal);
		return await new Promise<Release>((resolve, reject) => {
			const leave = () => {
				const at = this.waiting.indexOf(waiter);
				if (at >= 0) this.waiting.splice(at, 1);
				reject(new CancelledError());
			};
			const waiter: Waiter = {
				go: (release) => {
					signal?.removeEventListener('abort', leave);
					resolve(release);
				},
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.waiting.push(waiter);
			void this.pump();
		});
	}

	/** Holds back everybody for so many milliseconds: the service said that the limit is used up (§8.2). */
	holdBack(ms: number): void {
		this.notBefore = Math.max(this.notBefore, performance.now() + ms);
	}

	private take(): Release {
		const place = this.freeAt.indexOf(Math.min(...this.freeAt));
		const latest = performance.now() + LONGEST_TRIP_MS + WINDOW_MS;
		this.freeAt[place] = latest;
		return () => {
			const freeAt = performance.now() + WINDOW_MS;
			if (this.freeAt[place] === latest && freeAt < latest) this.freeAt[place] = freeAt;
		};
	}

	/** Only one pump runs at a time, so places are handed out one by one. */
	private async pump(): Promise<void> {
		if (this.pumping) return;
		this.pumping = true;
		while (this.waiting.length > 0) {
			const now = performance.now();
			// An answer that comes from now on frees its place a window later: no need to look before, nor any later.
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

const limiters = new Map<string, RateLimiter>();

/**
 * The limiter of one API key at one host (§8.1), however the rest of the base URL is written. Trigger and action, and
 * all executions of a process, share it; another process has its own, which is why a 429 is still retried.
 */
export function limiterFor(credential: { baseUrl: string; apiKey: string }): RateLimiter {
	// A digest, so that no key is held in memory for longer than a request takes.
	const key = createHash('sha256')
		.update(`${new URL(credential.baseUrl).origin}\n${credential.apiKey}`)
		.digest('base64');
	const known = limiters.get(key);
	if (known) return known;
	if (limiters.size >= MAX_LIMITERS) {
		for (const [other, limiter] of limiters) if (limiter.idle) limiters.delete(other);
	}
	const limiter = new RateLimiter();
	limiters.set(key, limiter);
	return limiter;
}
