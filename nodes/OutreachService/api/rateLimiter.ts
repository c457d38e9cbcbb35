/** The queue for the slots of the rate limit, one for each account. */
import { sleep } from 'n8n-workflow';

import { accountIdOf, type ServiceCredential } from './credential';
import { RequestError } from './errors';
import { isPersonWaiting, MOST_URGENT_FIRST, type Policy } from './policy';
import { REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimit';
import { within } from './within';

/**
 * How long a request without a response holds its slot, in milliseconds. It must not be long, because a request without a
 * response would slow down the others. Nor must it be short: a busy n8n can take a second until a request is out.
 */
const LONGEST_TRIP_MS = 2000;

/** The number of slots that items and recurring requests keep, however often requests are refused (D107). */
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
 * Other processes and programs can use the same key. A refusal shows that they do: from then on, items and recurring requests
 * use half of the slots that they had, and one slot more for each window afterwards (D107). All times are by
 * `performance.now()`.
 */
export class RateLimiter {
	/** The slots in use. */
	private used: Slot[] = [];

	/** The queue, in the order in which the requests start. */
	private readonly waiting: Waiting[] = [];

	/** Whether {@link watch} is running. */
	private isWatching = false;

	/** The time before which no request starts. */
	private notBefore = 0;

	/** When the limit last refused a request, and the share of slots that was left then. */
	private refused = { at: -Infinity, share: REQUESTS_PER_WINDOW };

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

	/** How many slots requests may use for which no person waits. */
	private get share(): number {
		const grown = Math.floor((performance.now() - this.refused.at) / WINDOW_MS);
		return Math.min(REQUESTS_PER_WINDOW, this.refused.share + grown);
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
		this.used = this.used.filter(({ freeAt }) => freeAt > now);
		const slots = isPersonWaiting(policy) ? REQUESTS_PER_WINDOW : this.share;
		const isFree = this.used.length < slots;
		// A response frees its slot one window later, so looking again after one window is early enough.
		const freeAt = isFree
			? now
			: Math.min(...this.used.map((slot) => slot.freeAt), now + WINDOW_MS);
		return Math.max(freeAt, this.notBefore) - now;
	}

	private take(): Release {
		const slot = { freeAt: performance.now() + LONGEST_TRIP_MS + WINDOW_MS };
		this.used.push(slot);
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
