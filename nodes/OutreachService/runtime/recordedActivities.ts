import { randomInt, randomUUID } from 'crypto';
import { sleep } from 'n8n-workflow';

import { settle } from '../utils/settle';

/** How many activities of a node n8n's database keeps, at most; the oldest are forgotten first. */
export const MAX_RECORDED = 5_000;
/** The values that n8n keeps for them: see {@link RecordedActivities}. */
export const MAX_VALUES = 2 * MAX_RECORDED;

/** The waits before a failed call is tried again, in milliseconds. */
const RETRY_WAITS_MS = [50, 250, 1_000, 3_000];

/**
 * How long a run waits, at least, before it checks that no other process has overwritten what it recorded, in
 * milliseconds: many times longer than another process takes between its read and its write.
 */
const CONFIRM_MS = 500;
/** It waits at least this many times as long as its own call took. */
const SLOW_CALLS = 4;

/**
 * The pause of a process between two calls for a node, in milliseconds. Two processes that called all the time could
 * overwrite each other all the time, each finding only its own values.
 */
const PAUSE_MS = { min: 40, max: 120 };

/** How often a run records its activities when other processes keep overwriting them. */
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
export type Run = {
	/** Workflow and node, see `nodeKey`. */
	node: string;
	values: RecordedValues;
	/** Whether this process runs all executions of the workflow. */
	isOnlyProcess: boolean;
};

/** Unconfirmed: recorded, unless another process has overwritten it. */
type Outcome = 'own' | 'duplicate' | 'unconfirmed';
type Outcomes = ReadonlyMap<string, Outcome>;

/** Deliveries of a run to record. */
type Request = {
	run: Run;
	deliveries: readonly string[];
	/** Whether none of them has been recorded by this run. */
	isFirst: boolean;
	resolve: (outcomes: Outcomes) => void;
	reject: (error: Error) => void;
};

/** Names one delivery of an activity. @param key see `eventKey`, which has no `@` */
export const deliveryOf = (key: string): string => `${key}@${randomUUID()}`;

const keyOf = (delivery: string): string => delivery.slice(0, delivery.indexOf('@'));

/**
 * Passes each activity on once, with what n8n's database remembers (D34). It keeps two values for an activity: its key,
 * and the delivery that was passed on. By the latter an execution that is retried, or a write that is tried again,
 * recognizes its own. Two processes can overwrite each other: so what another one may have overwritten is recorded again,
 * and of two deliveries of an activity that one is passed on which is still recorded.
 */
export class RecordedActivities {
	/** For each node with a call under way: the requests that wait for the next one. */
	private readonly waiting = new Map<string, Request[]>();

	/** The number of nodes with a call under way. */
	get size(): number {
		return this.waiting.size;
	}

	/**
	 * Records the activities of a run.
	 * @param deliveries see {@link deliveryOf}
	 * @returns those to pass on; of the activities of the others, another delivery has been passed on
	 * @throws the error of the last attempt when n8n's database could not be used
	 */
	async claim(run: Run, deliveries: readonly string[]): Promise<ReadonlySet<string>> {
		const own = new Set<string>();
		let pending = [...new Set(deliveries)];
		for (let round = 0; pending.length > 0; round += 1) {
			if (round >= MAX_ROUNDS)
				throw new Error('Other processes kept overwriting the recorded activities');
			const lookedAt = performance.now();
			const outcomes = await this.look(run, pending, round === 0);
			for (const [delivery, outcome] of outcomes) if (outcome === 'own') own.add(delivery);
			pending = pending.filter((delivery) => outcomes.get(delivery) === 'unconfirmed');
			// Where calls are slow, they are in other processes, too.
			const longEnough = Math.max(CONFIRM_MS, SLOW_CALLS * (performance.now() - lookedAt));
			if (pending.length > 0) await sleep(longEnough + randomInt(CONFIRM_MS * (round + 1)));
		}
		return own;
	}

	/**
	 * Records deliveries, and tells which of their activities were recorded before, and by which delivery. It tries again
	 * when that fails: the first call of a node fails with a UNIQUE constraint when another process creates the row at the
	 * same time.
	 */
	private async look(run: Run, deliveries: readonly string[], isFirst: boolean): Promise<Outcomes> {
		for (const wait of RETRY_WAITS_MS) {
			const result = await settle(this.request(run, deliveries, isFirst));
			if (result.ok) return result.value;
			await sleep(wait);
		}
		return await this.request(run, deliveries, isFirst);
	}

	private async request(
		run: Run,
		deliveries: readonly string[],
		isFirst: boolean,
	): Promise<Outcomes> {
		return await new Promise((resolve, reject) => {
			const request = { run, deliveries, isFirst, resolve, reject };
			const others = this.waiting.get(run.node);
			if (others) others.push(request);
			else {
				this.waiting.set(run.node, [request]);
				void this.carryOut(run.node);
			}
		});
	}

	/** Carries out the requests of a node: with each call, all that are waiting. */
	private async carryOut(node: string): Promise<void> {
		for (;;) {
			const requests = this.waiting.get(node)?.splice(0) ?? [];
			const [first] = requests;
			if (!first) break;
			const result = await settle(recordAll(first.run.values, requests));
			for (const [index, { resolve, reject }] of requests.entries()) {
				if (result.ok) resolve(result.value[index] ?? new Map());
				else reject(result.error);
			}
			if (!first.run.isOnlyProcess) await sleep(randomInt(PAUSE_MS.min, PAUSE_MS.max));
		}
		this.waiting.delete(node);
	}
}

/** Records the deliveries of all requests. @returns the outcomes for each, as if they were one after the other */
async function recordAll(
	values: RecordedValues,
	requests: readonly Request[],
): Promise<Outcomes[]> {
	const all = new Set(requests.flatMap(({ deliveries }) => deliveries));
	const added = new Set(
		await values.record([...all].flatMap((delivery) => [keyOf(delivery), delivery])),
	);
	const outcomes = requests.map(({ run, deliveries, isFirst }) => {
		const outcomeOf = (delivery: string): Outcome => {
			const isOwn = !added.has(delivery);
			// Of several deliveries of an activity, the first takes it.
			if (!added.delete(keyOf(delivery)) && !isOwn) return 'duplicate';
			return run.isOnlyProcess || (isOwn && !isFirst) ? 'own' : 'unconfirmed';
		};
		return new Map(deliveries.map((delivery) => [delivery, outcomeOf(delivery)]));
	});
	// At once: a duplicate whose execution crashed before that would pass in a retry.
	const duplicates = outcomes.flatMap((some) =>
		[...some].flatMap(([delivery, outcome]) => (outcome === 'duplicate' ? [delivery] : [])),
	);
	// If it fails, the outcomes hold all the same.
	if (duplicates.length > 0) await settle(values.remove(duplicates));
	return outcomes;
}
