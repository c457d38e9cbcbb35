/** The queue for the slots of the rate limit, one for each account. */
import { sleep } from 'n8n-workflow';

import { accountIdOf, type ServiceCredential } from './credential';
import { RequestError } from './errors';
import type { HttpResponse } from './http';
import { ITEM, isPersonWaiting, MOST_URGENT_FIRST, type Policy } from './policy';
import { countedByService, isRefusedByLimit, REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimit';
import { within } from './within';

/**
 * How long a request without a response holds its slot, in milliseconds. It must not be long, because a request without a
 * response would slow down the others. Nor must it be short: a busy n8n can take a second until a request is out.
 */
const LONGEST_TRIP_MS = 2000;

/** One slot in so many goes to the least urgent request, so that nobody is passed over forever. */
const LEAST_URGENT_EVERY = 10;

/**
 * How many slots items and recurring requests leave to others (D107): one, so that a user in another process gets through, and five for half
 * a minute after somebody else was seen to use the key.
 */
const LEFT_TO_USERS = 1;
const LEFT_TO_OTHERS = 5;
const SHARED_FOR_MS = 30_000;
/** The number of slots that these requests keep, however often requests are refused. */
const MIN_SHARE = 2;

/** What to say of a request that got no slot in time. It was not sent, so this says nothing about the key. */
export const BUSY = {
	message: 'The service accepts no further request with this API key at the moment',
	description:
		'Either its rate limit is used up by other requests, or it has asked n8n to wait. Try again in half a minute.',
	recovery: 'soon' as const,
};

/** Ends the use of a slot: the response has arrived, or never will. */
export type Release = () => void;

/** A slot: when it becomes free, and the policy of the request that has used it last. */
type Slot = { freeAt: number; policy: Policy };

/** A request in the queue. */
type Waiting = { policy: Policy; madeAt: number; start: (release: Release) => void };

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
 * Lets at most {@link REQUESTS_PER_WINDOW} requests start in any window (§8.1): those of users first, then those of items,
 * then those that recur. Those with the same policy start in the order in which they were made.
 *
 * The service counts a request when it arrives. Here, only two times are known between which that is: when the request
 * started, and when its response came. If a slot became free a window after the start, a request that was slow on its way
 * could arrive together with the next one in the same slot, and the service would count both in one window. So a slot
 * becomes free a window after the response: by then, the request has arrived at least a window ago.
 *
 * Other processes and programs can use the same key. As soon as a response shows that they do, items and recurring
 * requests leave some of the slots to them: half of theirs after a refusal, and one slot less than that for each window
 * afterwards. All times are by `performance.now()`.
 */
export class RateLimiter {
	private readonly slots: Slot[] = Array.from({ length: REQUESTS_PER_WINDOW }, () => ({
		freeAt: 0,
		policy: ITEM,
	}));

	private readonly waiting: Waiting[] = [];

	/** Whether {@link watch} is running. */
	private isWatching = false;

	/** The number of requests that have started. */
	private started = 0;

	/** The time before which no request starts. */
	private notBefore = 0;
	/** When the limit last refused a request, and the share of slots that was left then. */
	private refused = { at: -Infinity, share: REQUESTS_PER_WINDOW };

	/** When somebody else was last seen to use the key. */
	private othersSeenAt = -Infinity;

	/**
	 * Waits for a slot, and takes it. A request that gives up leaves the queue; the others keep their order.
	 * @returns what to call when the response has arrived, or never will
	 * @throws RequestError: `busy` when the request has waited for `longestMs`, or `cancelled`
	 */
	async acquire({ policy, madeAt, longestMs, signal }: Wait): Promise<Release> {
		const deadline = {
			ms: longestMs,
			error: () => new RequestError('busy', BUSY),
		};
		return await within({ signal, deadline }, async (abandoned) => {
			return await new Promise<Release>((start) => {
				// Its time may be up before it waits.
				if (abandoned.aborted) return;
				const waiting = { policy, madeAt, start };
				abandoned.addEventListener('abort', () => this.leave(waiting), { once: true });
				this.waiting.push(waiting);
				this.startReady();
				void this.watch();
			});
		});
	}

	/** Lets no request start for so many milliseconds, because the limit is used up (§8.2, D4). */
	holdBack(ms: number): void {
		this.notBefore = Math.max(this.notBefore, performance.now() + ms);
	}

	/**
	 * Learns from a response whether somebody else uses the key (D107). If nobody else does, the service refuses no request,
	 * and counts no more requests than this process has sent in one window. Each of those keeps its slot for at least a window
	 * after it arrived, so this slot becomes free only after the request in question has started.
	 * @param startedAt when the request of the response started
	 */
	learn(response: Pick<HttpResponse, 'status' | 'headers'>, startedAt: number): void {
		const now = performance.now();
		const isRefused = isRefusedByLimit(response.status);
		// All requests that are refused in the same window count once.
		if (isRefused && now - this.refused.at >= WINDOW_MS) {
			this.refused = { at: now, share: Math.max(MIN_SHARE, Math.floor(this.share / 2)) };
		}
		const own = this.slots.filter(({ freeAt }) => freeAt > startedAt).length;
		if (isRefused || (countedByService(response) ?? 0) > own) this.othersSeenAt = now;
	}

	/** How many slots requests may use for which no person waits. */
	private get share(): number {
		const now = performance.now();
		const grown = Math.floor((now - this.refused.at) / WINDOW_MS);
		return Math.min(REQUESTS_PER_WINDOW - this.leftToOthers(now), this.refused.share + grown);
	}

	private leftToOthers(now: number): number {
		if (now - this.othersSeenAt < SHARED_FOR_MS) return LEFT_TO_OTHERS;
		return LEFT_TO_USERS;
	}

	/** Takes a request out of the queue, if it is in it. */
	private leave(waiting: Waiting): void {
		const index = this.waiting.indexOf(waiting);
		if (index >= 0) this.waiting.splice(index, 1);
	}

	/** Starts the requests that may start now. */
	private startReady(): void {
		for (let next = this.next(); next && this.untilReady(next) <= 0; next = this.next()) {
			this.leave(next);
			this.started += 1;
			next.start(this.take(next.policy));
		}
	}

	/** Starts the waiting requests as slots become free, until none is waiting. */
	private async watch(): Promise<void> {
		if (this.isWatching) return;
		this.isWatching = true;
		for (let next = this.next(); next; next = this.next()) {
			await sleep(Math.ceil(this.untilReady(next)));
			this.startReady();
		}
		this.isWatching = false;
	}

	/** The request that starts next; undefined when none waits. */
	private next(): Waiting | undefined {
		const isTurnOfLeastUrgent = this.started % LEAST_URGENT_EVERY === LEAST_URGENT_EVERY - 1;
		const names = isTurnOfLeastUrgent ? [...MOST_URGENT_FIRST].reverse() : MOST_URGENT_FIRST;
		const firsts = names.flatMap((name) => this.firstOf(name) ?? []);
		// If the requests for which no person waits have used up their share, that of a user may still start.
		return firsts.find((first) => this.untilReady(first) <= 0) ?? firsts[0];
	}

	private firstOf(name: Policy['name']): Waiting | undefined {
		let first: Waiting | undefined;
		for (const waiting of this.waiting) {
			if (waiting.policy.name !== name) continue;
			if (!first || waiting.madeAt < first.madeAt) first = waiting;
		}
		return first;
	}

	/**
	 * How long to wait before it is worth checking again whether a request may start, in milliseconds; 0 when it may start
	 * now.
	 */
	private untilReady({ policy }: Waiting): number {
		const now = performance.now();
		// A response frees its slot one window later, so looking again after one window is early enough.
		const untilFree = Math.min(this.slotFreeAt(policy, now) - now, WINDOW_MS);
		return Math.max(untilFree, this.notBefore - now);
	}

	/** When a slot becomes free for a request, by `performance.now()`: now, if one is free. */
	private slotFreeAt(policy: Policy, now: number): number {
		const used = this.slots.filter(({ freeAt }) => freeAt > now);
		const ofOthers = used.filter((slot) => !isPersonWaiting(slot.policy));
		const isShareUsedUp = !isPersonWaiting(policy) && ofOthers.length >= this.share;
		if (!isShareUsedUp && used.length < REQUESTS_PER_WINDOW) return now;
		const inTheWay = isShareUsedUp ? ofOthers : used;
		return Math.min(...inTheWay.map(({ freeAt }) => freeAt));
	}

	/** Takes the slot that has been free for longest. */
	private take(policy: Policy): Release {
		const now = performance.now();
		const slot = this.slots.reduce((earliest, next) =>
			earliest.freeAt <= next.freeAt ? earliest : next,
		);
		const latest = now + LONGEST_TRIP_MS + WINDOW_MS;
		slot.freeAt = latest;
		slot.policy = policy;
		return () => {
			// Its time was up, and another request has the slot by now.
			if (slot.freeAt !== latest) return;
			slot.freeAt = Math.min(latest, performance.now() + WINDOW_MS);
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
