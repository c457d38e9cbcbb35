/** Which activities have run, and which n8n is just accepting. */
import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { SAMPLE_ID } from '../domain/sample';
import { RecentSet } from '../utils/recentSet';

/**
 * A process remembers at least so many activities, over all nodes, and at most twice as many: about 10 MB. See
 * `RecentSet`.
 */
export const MIN_REMEMBERED = 50_000;
/** The longest duration of a claim, in milliseconds: n8n may queue an execution for long, or never respond. */
const LEASE_MS = 24 * 60 * 60 * 1000;
/** The maximum number of copies that wait in a process: with n8n's default engine each holds a V8 isolate, about 11 MB. */
const MAX_WAITING = 20;
/** How long a copy waits for the outcome of the delivery that has the claim, in milliseconds. */
const WAIT_MS = 10_000;
/** How often a waiting copy checks for the outcome, and whether its sender has disconnected, in milliseconds. */
const CHECK_MS = 100;
/** How often it is checked whether n8n has ended the response to a sender that has disconnected, in milliseconds. */
const POLL_MS = 500;

/**
 * The parts of Node's response that tell what the sender was told, and whether it is still connected. Only the connection
 * tells the latter: while it has an earlier response to send (HTTP pipelining), this one learns of no disconnect.
 */
export type SenderResponse = {
	readonly statusCode: number;
	readonly writableEnded: boolean;
	readonly req: {
		readonly socket: {
			readonly destroyed: boolean;
			once(event: 'close', listener: () => void): unknown;
			off(event: 'close', listener: () => void): unknown;
		};
	};
	once(event: 'finish', listener: () => void): unknown;
};

/** Whether nothing can be sent any more: the sender has disconnected, or n8n has ended the response. */
export const isClosed = ({ req, writableEnded }: SenderResponse): boolean =>
	req.socket.destroyed || writableEnded;

/** Waits until the sender has disconnected, or the response is sent. */
export async function untilClosed(response: SenderResponse): Promise<void> {
	if (isClosed(response)) return;
	const { socket } = response.req;
	await new Promise<void>((resolve) => {
		const settle = (): void => {
			// The connection may have many more responses to send.
			socket.off('close', settle);
			resolve();
		};
		response.once('finish', settle);
		socket.once('close', settle);
	});
}

/**
 * Waits for n8n to end the response to a delivery, also when its sender has disconnected in the meantime, however long
 * n8n queues the execution.
 * @returns the status; undefined when there is none after {@link LEASE_MS}
 */
export async function finalStatusOf(response: SenderResponse): Promise<number | undefined> {
	await untilClosed(response);
	const until = performance.now() + LEASE_MS;
	// Node emits nothing when n8n ends the response to a sender that has disconnected.
	while (!response.writableEnded) {
		if (performance.now() >= until) return undefined;
		await sleep(POLL_MS);
	}
	return response.statusCode;
}

/**
 * Identifies an activity together with the event for which it was delivered: a hash of the event, the type and the ID, which
 * come from outside and may be megabytes long. The key is the same in every process and for every copy, and workflows use
 * it as an idempotency key (D77): how it is made can never change. The key of a sample begins with `sample-`.
 * @param event the chosen event
 * @param id the ID of the activity; without one, its JSON
 */
export function eventKeyOf(event: string, type: string | null, id: string): string {
	const hash = createHash('sha256')
		.update(JSON.stringify([event, type]))
		.update('\n')
		// In UTF-8, all halves of characters are the same: IDs that differ only in them would have one key.
		.update(/\p{Cs}/u.test(id) ? JSON.stringify(id) : id);
	const key = hash.digest().subarray(0, 16).toString('base64url');
	return id.startsWith(SAMPLE_ID) ? `sample-${key}` : key;
}

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
	 * @param eventKey see {@link eventKeyOf}
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
