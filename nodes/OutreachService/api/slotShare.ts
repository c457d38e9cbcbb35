/** How many slots of the rate limit requests that no person waits for may use. The others are for users and other programs. */
import { REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimit';

/**
 * The maximum number of slots for requests for which no person waits. The others stay free for a user, in this process or
 * another one.
 */
const MAX_SHARE = REQUESTS_PER_WINDOW - 1;
/** How many slots these requests leave to others for {@link SHARED_FOR_MS} after one was seen (D107). */
const LEFT_TO_OTHERS = 5;
const MAX_SHARE_BESIDE_OTHERS = REQUESTS_PER_WINDOW - LEFT_TO_OTHERS;
/** The number of slots that these requests keep, however often requests are refused. */
const MIN_SHARE = 2;
/** How long the key counts as shared after somebody else was seen to use it, in milliseconds. */
const SHARED_FOR_MS = 30_000;

/**
 * The share of the slots that requests may use that no person waits for (D107). It halves after a refusal, and grows by one slot in
 * each window.
 */
export class SlotShare {
	private current = MAX_SHARE;

	/** When a refusal last halved it, by `performance.now()`. */
	private halvedAt = -Infinity;

	/** From when on it grows by one slot for each window, by `performance.now()`. */
	private grownAt = 0;

	private othersSeenAt = -Infinity;

	/** The number of slots. */
	get slots(): number {
		return this.current;
	}

	/** Whether somebody else has used the key lately. */
	get hasSeenOthers(): boolean {
		return performance.now() - this.othersSeenAt < SHARED_FOR_MS;
	}

	/**
	 * Learns from a response.
	 * @param response.isRefused whether the rate limit has refused the request
	 * @param response.showsOthers whether the response shows that somebody else uses the key
	 */
	learn({ isRefused, showsOthers }: { isRefused: boolean; showsOthers: boolean }): void {
		if (showsOthers) this.othersSeenAt = performance.now();
		if (isRefused) this.halve();
		else this.grow();
		const most = this.hasSeenOthers ? MAX_SHARE_BESIDE_OTHERS : MAX_SHARE;
		this.current = Math.min(this.current, most);
	}

	/** Halves it: once for all requests that are refused in the same window. */
	private halve(): void {
		const now = performance.now();
		if (now - this.halvedAt < WINDOW_MS) return;
		this.current = Math.max(MIN_SHARE, Math.floor(this.current / 2));
		this.halvedAt = now;
		this.grownAt = now;
	}

	/** Lets it grow by one slot for each window that has passed. */
	private grow(): void {
		const now = performance.now();
		const windows = Math.floor((now - this.grownAt) / WINDOW_MS);
		if (windows === 0) return;
		this.current += windows;
		this.grownAt = now;
	}
}
