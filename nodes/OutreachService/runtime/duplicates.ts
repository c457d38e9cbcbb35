import { createHash } from 'crypto';
import { sleep } from 'n8n-workflow';

import { SAMPLE_ID } from '../domain/sample';
import { RecentSet } from '../utils/recentSet';

/** How many activities a process remembers at least, over all nodes; at most twice as many: about 10 MB. */
export const MIN_REMEMBERED = 50_000;
/** How long a claim lasts at most, in milliseconds: n8n may queue an execution for long, or never respond. */
const LEASE_MS = 24 * 60 * 60 * 1000;
/** The maximum number of copies that wait in a process: with n8n's default engine each holds a V8 isolate, about 11 MB. */
const MAX_WAITING = 20;
/** How long a copy waits for the outcome of the first one, in milliseconds. */
const WAIT_MS = 10_000;
/** How often a waiting copy checks for the outcome, and whether its sender has disconnected, in milliseconds. */
const CHECK_MS = 100;
/** How often it is checked whether n8n has ended the response to a sender that has disconnected, in milliseconds. */
const POLL_MS = 500;

/** The parts of Node's response that tell what the sender was told. */
export type SenderResponse = {
	readonly statusCode: number;
	readonly writableEnded: boolean;
	readonly destroyed: boolean;
	once(event: 'finish' | 'close', listener: () => void): unknown;
};

/** Whether nothing can be sent any more: the sender has disconnected, or n8n has ended the response. */
export const isClosed = ({ destroyed, writableEnded }: SenderResponse): boolean =>
	destroyed || writableEnded;

/**
 * Waits for n8n to end the response to a delivery, also when its sender has disconnected in the meantime, however long
 * n8n queues the execution.
 * @returns the status; undefined when there is none after {@link LEASE_MS}
 */
export async function outcomeOf(response: SenderResponse): Promise<number | undefined> {
	if (!isClosed(response)) {
		await new Promise<void>((resolve) => {
			response.once('finish', resolve);
			response.once('close', resolve);
		});
	}
	const until = performance.now() + LEASE_MS;
	// Node emits nothing when n8n ends the response to a sender that has disconnected.
	while (!response.writableEnded) {
		if (performance.now() >= until) return undefined;
		await sleep(POLL_MS);
	}
	return response.statusCode;
}

/**
 * What identifies what an activity means to a node: the event of the webhook that delivers it, its type and its ID. A
 * hash, because these come from outside and may be megabytes long. It is the same in every process and delivery, and
 * workflows use it as an idempotency key (D77): it cannot change. A sample's begins with `sample-`.
 * @param id of the activity; without one, its JSON
 */
export function eventKey(event: string, type: string | null, id: string): string {
	const hash = createHash('sha256')
		.update(JSON.stringify([event, type]))
		.update('\n')
		.update(id);
	const key = hash.digest().subarray(0, 16).toString('base64url');
	return id.startsWith(SAMPLE_ID) ? `sample-${key}` : key;
}

/**
 * What a delivery may do: start the workflow, respond with success (the activity has run), ask the sender to retry later,
 * or nothing, because the sender has disconnected.
 */
export type ClaimResult = 'claimed' | 'duplicate' | 'busy' | 'gone';

/**
 * Runs an activity once for each event (D10). It counts as run when n8n has responded to one of its deliveries with a
 * 2xx; a copy that arrives before that waits for the outcome.
 */
export class Duplicates {
	/** What has run. */
	private readonly remembered = new RecentSet(MIN_REMEMBERED);

	/** What n8n is about to take. */
	private readonly claims = new Set<string>();

	private waiting = 0;

	constructor(private readonly maxWaiting = MAX_WAITING) {}

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
	 * @param node workflow and node, whose activities these are
	 * @param key see {@link eventKey}
	 * @returns within {@link WAIT_MS}, give or take {@link CHECK_MS}
	 */
	async claim(node: string, key: string, response: SenderResponse): Promise<ClaimResult> {
		const now = this.tryToClaim(node, key, response);
		if (now !== undefined) return now;
		if (this.waiting >= this.maxWaiting) return 'busy';
		this.waiting += 1;
		const until = performance.now() + WAIT_MS;
		let result: ClaimResult | undefined;
		while (result === undefined) {
			await sleep(CHECK_MS);
			result = this.tryToClaim(node, key, response);
			if (result === undefined && performance.now() >= until) result = 'busy';
		}
		this.waiting -= 1;
		return result;
	}

	private tryToClaim(node: string, key: string, response: SenderResponse) {
		if (isClosed(response)) return 'gone';
		const id = `${node}\n${key}`;
		if (this.remembered.has(id)) return 'duplicate';
		if (this.claims.has(id)) return undefined;
		this.claims.add(id);
		void this.endClaim(id, response);
		return 'claimed';
	}

	private async endClaim(id: string, response: SenderResponse): Promise<void> {
		const status = (await outcomeOf(response)) ?? 0;
		this.claims.delete(id);
		if (status >= 200 && status < 300) this.remembered.add(id);
	}
}
