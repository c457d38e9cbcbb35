/** Which activities have run, and which n8n is just accepting. */
import { sleep } from 'n8n-workflow';

import { RecentSet } from '../utils/recentSet';
import { finalStatusOf, isClosed, type SenderResponse } from './senderResponse';

/**
 * A process remembers at least so many activities, over all nodes, and at most twice as many: about 10 MB. See
 * `RecentSet`.
 */
const MIN_REMEMBERED = 50_000;
/** The maximum number of copies that wait in a process: with n8n's default engine each holds a V8 isolate, about 11 MB. */
const MAX_WAITING = 20;
/** How long a copy waits for the outcome of the delivery that has the claim, in milliseconds. */
const WAIT_MS = 10_000;
/** How often a waiting copy checks for the outcome, and whether its sender has disconnected, in milliseconds. */
const CHECK_MS = 100;

/**
 * What a delivery may do:
 *
 * - `claimed`: start the workflow;
 * - `duplicate`: respond with success, because the activity has run;
 * - `busy`: ask the sender to retry later, because another delivery still has the claim;
 * - `gone`: nothing, because its sender has disconnected.
 */
export type ClaimResult = 'claimed' | 'duplicate' | 'busy' | 'gone';

/**
 * Lets an activity start the workflow once for each event (D10). It has run when n8n has responded to one of its deliveries
 * with a 2xx; a copy that arrives before that waits for the outcome.
 */
export class Duplicates {
	/** The activities that have run. */
	private readonly remembered = new RecentSet(MIN_REMEMBERED);

	/** The activities that n8n is just accepting. */
	private readonly claims = new Set<string>();

	/** The number of copies that wait for an outcome. */
	private waiting = 0;

	constructor(private readonly maxWaiting = MAX_WAITING) {}

	/** The number of entries of each kind. */
	stats() {
		return {
			rememberedActivities: this.remembered.size,
			claimedActivities: this.claims.size,
			waitingDuplicates: this.waiting,
		};
	}

	/**
	 * Claims an activity for a delivery. A claim lasts until n8n has ended the response: a 2xx makes the activity a
	 * duplicate from then on, anything else lets a copy claim it.
	 * @param nodeKey see `nodeKey`
	 * @param eventKey see `eventKeyOf`
	 * @returns within {@link WAIT_MS}, give or take {@link CHECK_MS}
	 */
	async claim(nodeKey: string, eventKey: string, response: SenderResponse): Promise<ClaimResult> {
		const immediateResult = this.tryToClaim(nodeKey, eventKey, response);
		if (immediateResult !== undefined) return immediateResult;
		if (this.waiting >= this.maxWaiting) return 'busy';
		this.waiting += 1;
		const until = performance.now() + WAIT_MS;
		let result: ClaimResult | undefined;
		while (result === undefined) {
			await sleep(CHECK_MS);
			result = this.tryToClaim(nodeKey, eventKey, response);
			if (result === undefined && performance.now() >= until) result = 'busy';
		}
		this.waiting -= 1;
		return result;
	}

	/** @returns undefined while another delivery has the claim */
	private tryToClaim(nodeKey: string, eventKey: string, response: SenderResponse) {
		if (isClosed(response)) return 'gone';
		const id = `${nodeKey}\n${eventKey}`;
		if (this.remembered.has(id)) return 'duplicate';
		if (this.claims.has(id)) return undefined;
		this.claims.add(id);
		void this.endClaim(id, response);
		return 'claimed';
	}

	/** Ends a claim when n8n has ended the response. */
	private async endClaim(id: string, response: SenderResponse): Promise<void> {
		const status = (await finalStatusOf(response)) ?? 0;
		this.claims.delete(id);
		if (status >= 200 && status < 300) this.remembered.add(id);
	}
}
