/** Which activities n8n's database has recorded, for *Ignore Duplicates: In Database*. */
import { randomInt, randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import { MAX_BATCH_EVENTS } from '../parameters/selection';
import { settle } from '../utils/settle';

/** The minimum number of activities of a node that n8n's database keeps; the oldest are forgotten first. */
const MIN_RECORDED = 5_000;
/**
 * The maximum number of values that n8n keeps for them: two for each, see {@link RecordedActivities}. The names of duplicates
 * are recorded, too, until they are removed: a full batch of them must not push out any of the activities.
 */
export const MAX_VALUES = 2 * MIN_RECORDED + MAX_BATCH_EVENTS;

/** The maximum number of activities, over all nodes, of which a process remembers the delivery that it has passed on. */
const MAX_PASSED_ON = 10_000;

/** The waits before a failed call is tried again, in milliseconds. */
const RETRY_WAITS_MS = [50, 250, 1_000, 3_000];

/**
 * How long a run waits, at least, before it checks that no other process has overwritten what it recorded, in
 * milliseconds: many times longer than another process takes between its read and its write.
 */
const CONFIRM_MS = 500;
/** A run also waits at least this many times as long as its own call took. */
const SLOW_CALLS = 4;

/**
 * The pause of a process between two calls for a node, in milliseconds. Two processes that called all the time could
 * overwrite each other all the time, each finding only its own values.
 */
const PAUSE_MS = { min: 40, max: 120 };

/** The maximum number of times that a run records its activities when other processes keep overwriting them. */
const MAX_ROUNDS = 20;

/**
 * The values that n8n's database keeps for one node. Neither call is atomic: n8n reads all values of the node, then
 * writes all.
 */
export type RecordedValues = {
	/** Records the values that are not recorded yet. @returns these */
	record(values: string[]): Promise<Iterable<string>>;
	remove(values: string[]): Promise<void>;
};

/** An execution that wants to pass activities on. */
export type RecordingExecution = {
	/** Workflow and node, see `nodeKey`. */
	nodeKey: string;
	values: RecordedValues;
	/** Whether this process runs all executions of the workflow. */
	isOnlyProcess: boolean;
};

/**
 * What recording a delivery has shown: it is passed on (`own`), another delivery of its activity is (`duplicate`), or it is
 * recorded, but another process may have overwritten it since (`unconfirmed`).
 */
type Recorded = 'own' | 'duplicate' | 'unconfirmed';
/** What recording several deliveries has shown, by their names. */
type RecordedDeliveries = ReadonlyMap<string, Recorded>;

/** Deliveries of an execution that are to be recorded. */
type Request = {
	execution: RecordingExecution;
	/** Their names, see {@link newDeliveryName}. */
	names: readonly string[];
	/** Whether the execution has not recorded them before. */
	isFirstRound: boolean;
	resolve: (recorded: RecordedDeliveries) => void;
	reject: (error: Error) => void;
};

/** A name for one delivery of an activity. @param eventKey see `eventKeyOf`, which has no `@` */
export const newDeliveryName = (eventKey: string): string => `${eventKey}@${randomUUID()}`;

/** The event key in the name of a delivery. */
const eventKeyIn = (name: string): string => name.slice(0, name.indexOf('@'));

/**
 * Has each activity passed on once, with what n8n's database remembers (D34). The database keeps two values for an activity:
 * its key, and the name of the delivery that was passed on. By that name, a retried execution or a repeated write recognizes
 * its own delivery.
 *
 * Two processes can overwrite each other's values. So a delivery that another process may have overwritten is recorded again
 * a while later: of two deliveries of an activity, the one that is still recorded is passed on.
 */
export class RecordedActivities {
	/** For each node with a call under way: the requests that wait for the next one. */
	private readonly waiting = new Map<string, Request[]>();

	/**
	 * For each activity, the name of the delivery that this process has passed on, latest last. A call that fails may have
	 * recorded a copy all the same: for the database, the copy then looks like a delivery that was passed on.
	 */
	private readonly passedOn = new Map<string, string>();

	/** The number of entries of each kind. */
	stats() {
		return { recordingNodes: this.waiting.size, passedOnActivities: this.passedOn.size };
	}

	/**
	 * Records the deliveries of an execution.
	 * @param names see {@link newDeliveryName}
	 * @returns the names of those to pass on; for each of the others, another delivery of its activity has been passed on
	 * @throws the error of the last attempt when n8n's database could not be used
	 */
	async record(
		execution: RecordingExecution,
		names: readonly string[],
	): Promise<ReadonlySet<string>> {
		const confirmed = new Set<string>();
		let unconfirmed = [...new Set(names)];
		for (let round = 0; round < MAX_ROUNDS; round += 1) {
			const startedAt = performance.now();
			const recorded = await this.recordWithRetries(execution, unconfirmed, round === 0);
			for (const [name, state] of recorded) if (state === 'own') confirmed.add(name);
			unconfirmed = unconfirmed.filter((name) => recorded.get(name) === 'unconfirmed');
			if (unconfirmed.length === 0) return confirmed;
			// If calls are slow here, they are slow in other processes, too.
			const longEnough = Math.max(CONFIRM_MS, SLOW_CALLS * (performance.now() - startedAt));
			await sleep(longEnough + randomInt(CONFIRM_MS * (round + 1)));
		}
		throw new Error('Other processes kept overwriting the recorded activities');
	}

	/**
	 * Records deliveries, and tells which of their activities were recorded before, and by which delivery. It tries again
	 * when that fails: the first call of a node fails with a UNIQUE constraint when another process creates the row at the
	 * same time.
	 */
	private async recordWithRetries(
		execution: RecordingExecution,
		names: readonly string[],
		isFirstRound: boolean,
	): Promise<RecordedDeliveries> {
		for (const waitMs of RETRY_WAITS_MS) {
			const result = await settle(this.request(execution, names, isFirstRound));
			if (result.ok) return result.value;
			await sleep(waitMs);
		}
		return await this.request(execution, names, isFirstRound);
	}

	/** Has deliveries recorded with the next call for their node. */
	private async request(
		execution: RecordingExecution,
		names: readonly string[],
		isFirstRound: boolean,
	): Promise<RecordedDeliveries> {
		return await new Promise((resolve, reject) => {
			const request = { execution, names, isFirstRound, resolve, reject };
			const waitingRequests = this.waiting.get(execution.nodeKey);
			if (waitingRequests) {
				waitingRequests.push(request);
				return;
			}
			this.waiting.set(execution.nodeKey, [request]);
			void this.carryOut(execution.nodeKey);
		});
	}

	/** Carries out the requests of a node: with each call, all that are waiting. */
	private async carryOut(nodeKey: string): Promise<void> {
		let requests = this.takeWaiting(nodeKey);
		while (requests.length > 0) {
			const isOnlyProcess = await this.recordTogether(requests);
			if (!isOnlyProcess) await sleep(randomInt(PAUSE_MS.min, PAUSE_MS.max));
			requests = this.takeWaiting(nodeKey);
		}
		this.waiting.delete(nodeKey);
	}

	private takeWaiting(nodeKey: string): Request[] {
		return this.waiting.get(nodeKey)?.splice(0) ?? [];
	}

	/** Carries out requests of a node with one call. Never throws. @returns whether no other process runs its executions */
	private async recordTogether(requests: readonly Request[]): Promise<boolean> {
		const [first] = requests;
		if (!first) return true;
		const result = await settle(this.recordAll(first.execution, requests));
		for (const [index, { resolve, reject }] of requests.entries()) {
			if (result.ok) resolve(result.value[index] ?? new Map());
			else reject(result.error);
		}
		return first.execution.isOnlyProcess;
	}

	/** Records the deliveries of all requests. @returns for each request what this has shown */
	private async recordAll(
		{ nodeKey, values }: RecordingExecution,
		requests: readonly Request[],
	): Promise<RecordedDeliveries[]> {
		const names = [...new Set(requests.flatMap((request) => request.names))];
		const newValues = new Set(
			await values.record(names.flatMap((name) => [eventKeyIn(name), name])),
		);
		const recorded = this.judge(nodeKey, requests, newValues);
		// The names of duplicates are removed at once: if the execution crashed before that, a retry would take its duplicate for
		// a delivery of its own. If the removal fails, the result of recording holds all the same.
		const duplicates = recorded
			.flatMap((states) => [...states])
			.filter(([, state]) => state === 'duplicate')
			.map(([name]) => name);
		if (duplicates.length > 0) await settle(values.remove(duplicates));
		return recorded;
	}

	/**
	 * Tells what a call has shown of each delivery, as if the requests had come one after the other.
	 * @param newValues the values that were not recorded before the call
	 */
	private judge(
		nodeKey: string,
		requests: readonly Request[],
		newValues: ReadonlySet<string>,
	): RecordedDeliveries[] {
		const takenKeys = new Set<string>();
		return requests.map((request) => {
			const states = new Map<string, Recorded>();
			for (const name of request.names) {
				const eventKey = eventKeyIn(name);
				const activityOfNode = `${nodeKey}\n${eventKey}`;
				const passedOn = this.passedOn.get(activityOfNode);
				const isOtherPassedOn = passedOn !== undefined && passedOn !== name;
				// If several deliveries of a new activity are recorded together, the first one takes it.
				const isFirst = newValues.has(eventKey) && !takenKeys.has(eventKey);
				takenKeys.add(eventKey);
				const wasRecorded = !newValues.has(name);
				const state = isOtherPassedOn ? 'duplicate' : stateOf(request, { isFirst, wasRecorded });
				if (state === 'own') this.rememberPassedOn(activityOfNode, name);
				states.set(name, state);
			}
			return states;
		});
	}

	private rememberPassedOn(activityOfNode: string, name: string): void {
		this.passedOn.set(activityOfNode, name);
		const [oldest] = this.passedOn.keys();
		if (this.passedOn.size > MAX_PASSED_ON && oldest !== undefined) this.passedOn.delete(oldest);
	}
}

/**
 * What recording a delivery has shown.
 * @param values.isFirst whether the activity was not recorded before, and no other delivery has taken it
 * @param values.wasRecorded whether the delivery itself was recorded before: its execution is retried, or a write repeated
 */
function stateOf(
	{ execution, isFirstRound }: Request,
	{ isFirst, wasRecorded }: { isFirst: boolean; wasRecorded: boolean },
): Recorded {
	if (!isFirst && !wasRecorded) return 'duplicate';
	// No other process can have overwritten the delivery.
	if (execution.isOnlyProcess) return 'own';
	// The delivery was recorded in an earlier round, and still is.
	if (wasRecorded && !isFirstRound) return 'own';
	return 'unconfirmed';
}
