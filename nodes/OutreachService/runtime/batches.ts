/** Open batches: deliveries that wait for others, to start the workflow together. */
import type { INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { deferred, type Deferred } from '../utils/deferred';
import {
	finalStatusOf,
	respondTo,
	RETRY_SOON_SECONDS,
	type SenderResponse,
} from './senderResponse';

/** A batch with this many bytes of events closes early: n8n stores them all in one execution. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** The maximum number of deliveries that a process holds, and of their bytes; those beyond start runs of their own. */
const MAX_HELD = 5_000;
const MAX_HELD_BYTES = 32 * 1024 * 1024;

/**
 * The maximum number of open batches: each holds one `webhook()` of n8n, and so one of its V8 isolates, about 11 MB. The
 * oldest closes early when another one opens.
 */
const MAX_OPEN = 20;

/**
 * How long the end of a trigger waits for n8n to respond to its batches, in milliseconds. If n8n's concurrency limit has
 * been reached, n8n does not respond: it has stored them, and runs them at its next start. n8n ends one trigger after the
 * other, and exits after 30 s by default.
 */
const CLOSE_WAIT_MS = 2_000;

/** When a batch closes; whichever comes first. */
type BatchLimits = { maxEvents: number; maxSeconds: number };

/** A delivery that may be held until its batch is handed over. */
export type HeldDelivery = {
	/** The item that it becomes. */
	item: INodeExecutionData;
	/** The size of its JSON, as it was delivered: JSON that is nested too deep cannot be written again. */
	bytes: number;
	response: SenderResponse;
};

/** What all deliveries in a batch have in common. */
type BatchKey = {
	/** Workflow and node, see `nodeKey`. */
	nodeKey: string;
	/**
	 * A hash of the node. A batch runs in the version of the workflow at which its first delivery arrived, and that version
	 * may have no output for an event of a later one (D104).
	 */
	version: string;
	/** What the option *Group By* names, such as a lead, or the same text for all events of the node. */
	group: string;
};

/** Deliveries that start one run: the first of them leads, the others follow. */
type Batch = BatchKey & {
	members: HeldDelivery[];
	bytes: number;
	/** Resolved when the batch is handed over. */
	items: Deferred<INodeExecutionData[]>;
};

const textOf = ({ nodeKey, version, group }: BatchKey): string =>
	`${nodeKey}\n${version}\n${group}`;

/**
 * The open batches of a process, one for each key. The first delivery of a batch leads: its `webhook()` returns all
 * items when the batch closes, so n8n stores one run and responds to it. The others follow: their `webhook()` has ended
 * (held deliveries would each keep one of n8n's V8 isolates), and they get the response that the leader got.
 */
export class Batches {
	/** The open batches, oldest first. */
	private readonly open = new Map<string, Batch>();

	/**
	 * The batches that are open, or that were handed over to n8n, which has not responded yet. Their promises are resolved when
	 * n8n has responded, or never will.
	 */
	private readonly unfinished = new Map<Batch, Promise<void>>();

	/** What the unfinished batches hold. */
	private readonly held = { deliveries: 0, bytes: 0 };

	/** The number of deliveries that wait for their batch, or for the response to it. */
	get size(): number {
		return this.held.deliveries;
	}

	/**
	 * Adds a delivery to the open batch with its key, or opens one. Batches of another version of the node are handed over.
	 * @returns for the delivery that opens a batch: its items, once the batch closes; none, immediately, for a later delivery; its own
	 *   item, immediately, if too much is held already
	 */
	async add(
		key: BatchKey,
		delivery: HeldDelivery,
		limits: BatchLimits,
	): Promise<INodeExecutionData[]> {
		const { bytes, item } = delivery;
		const holdsTooMuch =
			this.held.deliveries >= MAX_HELD || this.held.bytes + bytes > MAX_HELD_BYTES;
		if (holdsTooMuch) return [item];
		for (const batch of [...this.open.values()]) {
			if (batch.nodeKey === key.nodeKey && batch.version !== key.version) this.handOver(batch);
		}
		const current = this.open.get(textOf(key));
		const batch = current ?? this.begin(key, delivery, limits);
		batch.members.push(delivery);
		batch.bytes += bytes;
		this.held.deliveries += 1;
		this.held.bytes += bytes;
		const isFull = batch.members.length >= limits.maxEvents || batch.bytes >= MAX_BATCH_BYTES;
		if (isFull) this.handOver(batch);
		return current ? [] : await batch.items.promise;
	}

	/**
	 * Hands over the open batches of a node at once: n8n shuts down, or the workflow is deactivated.
	 *
	 * Waits until n8n has responded to all of them, but not for long. Before n8n exits, it waits for running executions alone:
	 * a run that it is just storing would be left for its next start, and the senders would be cut off.
	 */
	async close(nodeKey: string): Promise<void> {
		for (const batch of [...this.open.values()]) {
			if (batch.nodeKey === nodeKey) this.handOver(batch);
		}
		const ofNode = [...this.unfinished].filter(([batch]) => batch.nodeKey === nodeKey);
		if (ofNode.length === 0) return;
		await Promise.race([Promise.all(ofNode.map(([, end]) => end)), sleep(CLOSE_WAIT_MS)]);
	}

	/** Opens a batch for its first delivery. */
	private begin(key: BatchKey, { response }: HeldDelivery, limits: BatchLimits): Batch {
		const [oldest] = this.open.values();
		if (oldest && this.open.size >= MAX_OPEN) this.handOver(oldest);
		const batch: Batch = { ...key, members: [], bytes: 0, items: deferred() };
		this.open.set(textOf(key), batch);
		this.unfinished.set(batch, this.finishWith(response, batch));
		void this.closeInTime(new WeakRef(batch), limits.maxSeconds);
		return batch;
	}

	/**
	 * Hands a batch over when its time is up. The timer cannot be cancelled, so it holds the batch weakly: most batches are
	 * full long before.
	 */
	private async closeInTime(weakBatch: WeakRef<Batch>, seconds: number): Promise<void> {
		await sleep(seconds * 1000);
		const batch = weakBatch.deref();
		if (batch) this.handOver(batch);
	}

	/** Closes a batch, and hands its items over to n8n, also those whose senders have disconnected. */
	private handOver(batch: Batch): void {
		// A batch that was full before its time is over has been handed over already.
		if (this.open.get(textOf(batch)) !== batch) return;
		this.open.delete(textOf(batch));
		batch.items.resolve(batch.members.map(({ item }) => item));
	}

	/** Responds to the followers with the status of the leader, when n8n has ended the response to that. */
	private async finishWith(leader: SenderResponse, batch: Batch): Promise<void> {
		const status = await finalStatusOf(leader);
		this.unfinished.delete(batch);
		this.held.deliveries -= batch.members.length;
		this.held.bytes -= batch.bytes;
		const [, ...followers] = batch.members;
		for (const { response } of followers) {
			// Without a status, n8n may not have taken the batch.
			if (status === undefined) respondTo(response, 503, RETRY_SOON_SECONDS);
			else respondTo(response, status);
		}
	}
}
