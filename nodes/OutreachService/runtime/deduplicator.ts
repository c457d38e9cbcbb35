import { sleep } from 'n8n-workflow';

import { RememberedActivities } from './rememberedActivities';
import { isClosed, type ResponseOutcomes, type SenderResponse } from './responseOutcomes';

/** The maximum number of copies that wait in a process: with n8n's default engine each holds a V8 isolate, about 11 MB. */
export const MAX_WAITING = 20;
/** How long a copy waits for the outcome of the first one, in milliseconds. */
export const WAIT_MS = 10_000;
/** How often it is checked whether that time is over, in milliseconds. */
export const CHECK_MS = 100;

/**
 * What a delivery may do: start the workflow, respond with success (the activity has run), ask the sender to retry
 * later, or nothing, because the sender has disconnected.
 */
export type ClaimResult = 'claimed' | 'duplicate' | 'busy' | 'gone';

/** An activity that n8n is about to take. */
type Claim = { node: string; key: string };

type Waiter = {
	node: string;
	key: string;
	response: SenderResponse;
	/** On the clock of `performance.now()`. */
	until: number;
	resolve: (result: ClaimResult) => void;
};

/** How many entries of each kind a process holds. */
export type DuplicateStats = { remembered: number; claims: number; waiting: number };

/**
 * Runs an activity once (D10). It counts as run when n8n has responded to one of its deliveries with a 2xx; a copy
 * that arrives before that waits for the outcome.
 */
export class Deduplicator {
	private readonly remembered = new RememberedActivities();

	private readonly claims = new Map<string, Claim>();

	/** In order of arrival. */
	private readonly waiters = new Set<Waiter>();

	private isWatching = false;

	constructor(
		private readonly outcomes: ResponseOutcomes,
		private readonly maxWaiting = MAX_WAITING,
	) {}

	/**
	 * Claims an activity for a delivery. A claim lasts until n8n has ended the response, however long n8n queues the
	 * execution: a 2xx makes the activity a duplicate from then on, anything else lets the next copy claim it.
	 * @param node workflow and node, whose activities these are
	 * @param key of the activity, see `activityKey`
	 * @returns within {@link WAIT_MS}, give or take {@link CHECK_MS}
	 */
	async claim(node: string, key: string, response: SenderResponse): Promise<ClaimResult> {
		if (isClosed(response)) return 'gone';
		if (this.remembered.has(node, key)) return 'duplicate';
		if (!this.claims.has(idOf({ node, key }))) {
			this.open({ node, key }, response);
			return 'claimed';
		}
		if (this.waiters.size >= this.maxWaiting) return 'busy';
		return await new Promise((resolve) => {
			const waiter = { node, key, response, until: performance.now() + WAIT_MS, resolve };
			this.waiters.add(waiter);
			response.once('close', () => {
				this.decide(waiter, 'gone');
			});
			void this.watch();
		});
	}

	stats(): DuplicateStats {
		return {
			remembered: this.remembered.size,
			claims: this.claims.size,
			waiting: this.waiters.size,
		};
	}

	private open(claim: Claim, response: SenderResponse): void {
		this.claims.set(idOf(claim), claim);
		this.outcomes.watch(response, (status) => this.settle(claim, isSuccess(status)));
	}

	private settle(claim: Claim, isTaken: boolean): void {
		this.claims.delete(idOf(claim));
		if (isTaken) this.remembered.add(claim.node, claim.key);
		for (const waiter of this.waiters) {
			if (idOf(waiter) !== idOf(claim)) continue;
			const result = isTaken ? 'duplicate' : isClosed(waiter.response) ? 'gone' : 'claimed';
			this.decide(waiter, result);
			if (result !== 'claimed') continue;
			this.open({ node: claim.node, key: claim.key }, waiter.response);
			return;
		}
	}

	private decide(waiter: Waiter, result: ClaimResult): void {
		if (this.waiters.delete(waiter)) waiter.resolve(result);
	}

	/** One timer for the whole process, running only while a copy waits. */
	private async watch(): Promise<void> {
		if (this.isWatching) return;
		this.isWatching = true;
		while (this.waiters.size > 0) {
			await sleep(CHECK_MS);
			const now = performance.now();
			for (const waiter of this.waiters) if (waiter.until <= now) this.decide(waiter, 'busy');
		}
		this.isWatching = false;
	}
}

const idOf = ({ node, key }: Claim): string => `${node}\n${key}`;

const isSuccess = (status: number | undefined): boolean =>
	status !== undefined && status >= 200 && status < 300;
