/** The queue for the slots of the rate limit, one for each account. */
import { sleep } from 'n8n-workflow';

import { accountIdOf, type ServiceCredential } from './credential';
import { RequestError } from './errors';
import { isPersonWaiting, MOST_URGENT_FIRST, type Policy } from './policy';
import { limitUsedUp, REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimit';
import { within } from './within';

/**
 * How long a request without a response holds its slot, in milliseconds. It must not be long, because a request without a
 * response would slow down the others. Nor must it be short: a busy n8n can take a second until a request is out.
 */
const LONGEST_TRIP_MS = 2000;

/**
 * How many slots items and recurring requests leave to persons in other processes (D107): none in the first eleven seconds of
 * a queue, which are six full windows; then one; and five for half a minute after somebody else was seen to use the key.
 */
const ALL_SLOTS_FOR_MS = 11_000;
/** A queue is over when no request has waited for so long: between two windows, those of a bulk action do not wait. */
const QUEUE_ENDS_AFTER_MS = 2 * WINDOW_MS;
const LEFT_TO_PERSONS = 1;
const LEFT_TO_OTHERS = 5;
const OTHERS_STAY_FOR_MS = 30_000;

/** The number of slots that items and recurring requests keep, however often requests are refused (D107). */
const MIN_SHARE = 2;

/** Ends the use of a slot: the response has arrived, or never will. */
export type Release = () => void;

/** A slot that a request uses, and when it becomes free. */
type Slot = { freeAt: number };

/** A request in the queue. */
type Waiting = { policy: Policy; madeAt: number; start: (release: Release) => void };

const urgencyOf = ({ policy }: Waiting): number => MOST_URGENT_FIRST.indexOf(policy.name);

/** How a request waits for a slot. */
export type Wait = {
	policy: Policy;
	/** When it was made, by `performance.now()`: a request that is sent again keeps its place in the queue. */
	madeAt: number;
	/** How long it waits for a slot at most, in milliseconds. */
	longestMs: number;
	signal: AbortSignal | undefined;
};

/**
 * Lets at most {@link REQUESTS_PER_WINDOW} requests start in any window (§8.1): those of users first, then those that
 * recur, which are few, then those of items. Those with the same policy start in the order in which they were made.
 *
 * The service counts a request when it arrives. Here, only two times are known between which that is: when the request
 * started, and when its response came. If a slot became free a window after the start, a request that was slow on its way
 * could arrive together with the next one in the same slot, and the service would count both in one window. So a slot
 * becomes free a window after the response: by then, the request has arrived at least a window ago.
 *
 * Other processes and programs can use the same key. A person there is refused as long as items use all slots here, and
 * nothing tells us of that: so a long queue leaves a slot free. After a refusal, items and recurring requests use half of the
 * slots that they had, and one slot more for each window afterwards (D107). All times are by `performance.now()`.
 */
export class RateLimiter {
	/** The slots in use, and those that have become free not long ago. */
	private used: Slot[] = [];

	/** The queue, in the order in which the requests start. */
	private readonly waiting: Waiting[] = [];

	/** Whether {@link watch} is running. */
	private isWatching = false;

	/** Since when requests have been waiting, and when one last did. */
	private queue = { since: 0, last: -Infinity };

	/** When somebody else was last seen to use the key. */
	private othersSeenAt = -Infinity;

	/** The time before which no request starts. */
	private notBefore = 0;

	/** When the limit last refused a request, and the share of slots that was left then. */
	private refused = { at: -Infinity, share: REQUESTS_PER_WINDOW };

	/**
	 * Waits for a slot, and takes it. A request that gives up leaves the queue; the others keep their order.
	 * @returns what to call when the response has arrived, or never will
	 * @throws RequestError: `rateLimit` when the request has waited for `longestMs`, or `cancelled`
	 */
	async acquire({ policy, madeAt, longestMs, signal }: Wait): Promise<Release> {
		const deadline = {
			ms: longestMs,
			error: () => new RequestError('rateLimit', limitUsedUp()),
		};
		return await within({ signal, deadline }, async (abandoned) => {
			return await new Promise<Release>((start) => {
				// Its time may be up before it waits.
				if (abandoned.aborted) return;
				const waiting = { policy, madeAt, start };
				abandoned.addEventListener('abort', () => this.leave(waiting), { once: true });
				this.join(waiting);
				this.startReady();
				void this.watch();
			});
		});
	}

	/** Notes that the limit is used up: no request starts for so many milliseconds (§8.2, D4), and fewer from then on (D107). */
	refuse(ms: number): void {
		const now = performance.now();
		this.notBefore = Math.max(this.notBefore, now + ms);
		// All requests that are refused in the same window count once.
		if (now - this.refused.at < WINDOW_MS) return;
		this.refused = { at: now, share: Math.max(MIN_SHARE, Math.floor(this.share / 2)) };
	}

	/**
	 * Compares how many requests the service counts in its window with those of this process (§8.2, D107). Each of ours keeps
	 * its slot for at least a window after it has arrived, so it is in use after the start of the one whose response says the
	 * number. If there are more, somebody else uses the key.
	 * @param startedAt when that request started
	 */
	compare(counted: number, startedAt: number): void {
		const now = performance.now();
		// What was in use before that is forgotten.
		if (startedAt < now - LONGEST_TRIP_MS) return;
		const own = this.used.filter(({ freeAt }) => freeAt > startedAt).length;
		if (counted > own) this.othersSeenAt = now;
	}

	/** How many slots requests may use for which no person waits. */
	private get share(): number {
		const now = performance.now();
		const grown = Math.floor((now - this.refused.at) / WINDOW_MS);
		return Math.min(REQUESTS_PER_WINDOW - this.leftFree(now), this.refused.share + grown);
	}

	private leftFree(now: number): number {
		if (now - this.othersSeenAt < OTHERS_STAY_FOR_MS) return LEFT_TO_OTHERS;
		const isLong = this.isQueue(now) && now - this.queue.since > ALL_SLOTS_FOR_MS;
		return isLong ? LEFT_TO_PERSONS : 0;
	}

	private isQueue(now: number): boolean {
		return now - this.queue.last <= QUEUE_ENDS_AFTER_MS;
	}

	/** Notes that a request is waiting. */
	private noteQueue(): void {
		const now = performance.now();
		this.queue = { since: this.isQueue(now) ? this.queue.since : now, last: now };
	}

	/** Puts a request into the queue: before those that are less urgent, or as urgent and made later. */
	private join(waiting: Waiting): void {
		const urgency = urgencyOf(waiting);
		const isBefore = (other: Waiting): boolean =>
			urgency < urgencyOf(other) || (urgency === urgencyOf(other) && waiting.madeAt < other.madeAt);
		const index = this.waiting.findIndex(isBefore);
		this.waiting.splice(index < 0 ? this.waiting.length : index, 0, waiting);
	}

	/** Takes a request out of the queue, if it is in it. */
	private leave(waiting: Waiting): void {
		const index = this.waiting.indexOf(waiting);
		if (index >= 0) this.waiting.splice(index, 1);
	}

	/** Starts the requests that may start now. The first one may, if any may. */
	private startReady(): void {
		for (let [next] = this.waiting; next && this.untilReady(next) <= 0; [next] = this.waiting) {
			this.waiting.shift();
			next.start(this.take());
		}
	}

	/** Starts the waiting requests as slots become free, until none is waiting. */
	private async watch(): Promise<void> {
		if (this.isWatching) return;
		this.isWatching = true;
		for (let [next] = this.waiting; next; [next] = this.waiting) {
			this.noteQueue();
			await sleep(Math.ceil(this.untilReady(next)));
			this.startReady();
		}
		this.isWatching = false;
	}

	/**
	 * How long to wait before it is worth checking again whether a request may start, in milliseconds; 0 when it may start
	 * now.
	 */
	private untilReady({ policy }: Waiting): number {
		const now = performance.now();
		const inUse = this.used.filter(({ freeAt }) => freeAt > now);
		const slots = isPersonWaiting(policy) ? REQUESTS_PER_WINDOW : this.share;
		const isFree = inUse.length < slots;
		// A response frees its slot one window later, so looking again after one window is early enough.
		const freeAt = isFree ? now : Math.min(...inUse.map((slot) => slot.freeAt), now + WINDOW_MS);
		return Math.max(freeAt, this.notBefore) - now;
	}

	private take(): Release {
		const now = performance.now();
		const slot = { freeAt: now + LONGEST_TRIP_MS + WINDOW_MS };
		// Responses on their way are still compared with those that have just become free.
		const isRecent = ({ freeAt }: Slot): boolean => freeAt > now - LONGEST_TRIP_MS;
		this.used = [...this.used.filter(isRecent), slot];
		return () => {
			slot.freeAt = Math.min(slot.freeAt, performance.now() + WINDOW_MS);
		};
	}
}

/**
 * The rate limiter of each account for which this process has sent requests, whatever the workflow or the node. Another
 * process has limiters of its own, which is why a 429 is still retried.
 */
export class RateLimiters {
	private readonly limiters = new Map<string, RateLimiter>();

	get size(): number {
		return this.limiters.size;
	}

	/** The limiter of the account that a credential names. */
	of(credential: ServiceCredential): RateLimiter {
		const accountId = accountIdOf(credential);
		const limiter = this.limiters.get(accountId) ?? new RateLimiter();
		this.limiters.set(accountId, limiter);
		return limiter;
	}
}
