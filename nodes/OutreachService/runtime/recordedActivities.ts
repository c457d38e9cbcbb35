import { randomInt } from 'crypto';
import { sleep } from 'n8n-workflow';

import { settle } from '../utils/settle';

/** How many activities of a node n8n's database keeps, at most; the oldest are forgotten first. */
export const MAX_RECORDED = 5_000;
/** The values that n8n keeps for them: see {@link RecordedActivities}. */
export const MAX_VALUES = 2 * MAX_RECORDED;

/** How many values are written at once, at most, unless a single execution has more. */
const MAX_VALUES_PER_CALL = 2_000;

/** The waits before a failed call is tried again, in milliseconds. */
export const RETRY_WAITS_MS = [50, 250, 1_000, 3_000];

/**
 * How long a run waits, at least, before it checks that no other process has overwritten what it recorded, in
 * milliseconds: many times longer than another process takes between its read and its write.
 */
export const CONFIRM_MS = 500;

/**
 * The pause of a process between two calls for a node, in milliseconds. Two processes that called all the time could
 * overwrite each other all the time, each finding only its own values.
 */
const PAUSE_MS = { min: 40, max: 120 };

/** How often a run records its activities when other processes keep overwriting them. */
const MAX_ROUNDS = 20;

/** The values that n8n's database keeps for one node. */
export type RecordedValues = {
	/**
	 * Records the values that are not recorded yet. It is not atomic: n8n reads all values of the node, then writes all.
	 * @returns the values that were not recorded
	 */
	record(values: string[]): Promise<Iterable<string>>;
};

/** An execution that wants to pass its activities on. */
export type Run = {
	/** Workflow and node, see `nodeKey`. */
	node: string;
	executionId: string;
	values: RecordedValues;
	/** Whether this process runs all executions of the workflow. */
	isOnlyProcess: boolean;
};

/** Values to record for a run. */
type Request = {
	run: Run;
	values: readonly string[];
	resolve: (added: ReadonlySet<string>) => void;
	reject: (error: Error) => void;
};

/** Unconfirmed: recorded, unless another process has overwritten it. */
type Verdict = 'own' | 'duplicate' | 'unconfirmed';

/**
 * Passes each activity on once, with what n8n's database remembers (D34). It keeps two values for an activity: its key,
 * and its key with the execution that passed it on, by which a run that n8n repeats, or a write that is tried again,
 * recognizes its own.
 *
 * n8n's helper reads all values of a node, and then writes all of them. Two processes that do this at the same time
 * overwrite each other: a value is lost, or both find an activity new. So a process makes one call of a node at a time,
 * for all runs that wait. Where there can be another process, a run looks again after {@link CONFIRM_MS}: what was lost
 * is recorded again, and of two runs with the same activity that one goes on whose execution is still recorded.
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
	 * @param keys see `activityKey`
	 * @returns the keys that the run passes on; the others have been passed on by another execution
	 * @throws the error of the last attempt when n8n's database could not be used
	 */
	async claim(run: Run, keys: readonly string[]): Promise<ReadonlySet<string>> {
		const own = new Set<string>();
		let pending = [...new Set(keys)];
		for (let round = 0; pending.length > 0; round += 1) {
			if (round >= MAX_ROUNDS)
				throw new Error('Other processes kept overwriting what was recorded');
			if (round > 0) await sleep(CONFIRM_MS + randomInt(CONFIRM_MS / 2));
			const verdicts = await this.look(run, pending, round === 0);
			for (const [key, verdict] of verdicts) if (verdict === 'own') own.add(key);
			pending = pending.filter((key) => verdicts.get(key) === 'unconfirmed');
		}
		return own;
	}

	/** Records the activities of a run without asking whether they have been passed on. @returns all keys */
	async record(run: Run, keys: readonly string[]): Promise<ReadonlySet<string>> {
		const all = new Set(keys);
		await this.attempt(run, [...all]);
		return all;
	}

	/** Records activities, and tells which of them were recorded before, and by whom. */
	private async look(
		run: Run,
		keys: readonly string[],
		isFirst: boolean,
	): Promise<Map<string, Verdict>> {
		const markOf = (key: string): string => `${key}@${run.executionId}`;
		const added = await this.attempt(
			run,
			keys.flatMap((key) => [key, markOf(key)]),
		);
		const verdictOn = (key: string): Verdict => {
			const isOwn = !added.has(markOf(key));
			if (!isOwn && !added.has(key)) return 'duplicate';
			return run.isOnlyProcess || (isOwn && !isFirst) ? 'own' : 'unconfirmed';
		};
		return new Map(keys.map((key) => [key, verdictOn(key)]));
	}

	/**
	 * Records values, and tries again when that fails: the first call of a node fails with a UNIQUE constraint when another
	 * process creates the row at the same time.
	 * @returns the values that were not recorded
	 */
	private async attempt(run: Run, values: readonly string[]): Promise<ReadonlySet<string>> {
		for (const wait of RETRY_WAITS_MS) {
			const result = await settle(this.request(run, values));
			if (result.ok) return result.value;
			await sleep(wait);
		}
		return await this.request(run, values);
	}

	private async request(run: Run, values: readonly string[]): Promise<ReadonlySet<string>> {
		return await new Promise((resolve, reject) => {
			const request = { run, values, resolve, reject };
			const others = this.waiting.get(run.node);
			if (others) others.push(request);
			else {
				this.waiting.set(run.node, [request]);
				void this.carryOut(run.node);
			}
		});
	}

	/** Carries out the requests of a node, as many as are waiting with each call. */
	private async carryOut(node: string): Promise<void> {
		for (;;) {
			const [first, ...others] = this.take(node);
			if (!first) break;
			const requests = [first, ...others];
			const values = new Set(requests.flatMap((request) => request.values));
			const result = await settle(first.run.values.record([...values]));
			if (result.ok) distribute(result.value, requests);
			else for (const { reject } of requests) reject(result.error);
			if (!first.run.isOnlyProcess) await sleep(randomInt(PAUSE_MS.min, PAUSE_MS.max));
		}
		this.waiting.delete(node);
	}

	private take(node: string): Request[] {
		const requests = this.waiting.get(node) ?? [];
		let values = 0;
		const tooMany = requests.findIndex((request) => {
			values += request.values.length;
			return values > MAX_VALUES_PER_CALL;
		});
		return requests.splice(0, tooMany < 0 ? requests.length : Math.max(tooMany, 1));
	}
}

/** Resolves requests as if each had been carried out on its own, one after the other. */
function distribute(added: Iterable<string>, requests: readonly Request[]): void {
	const left = new Set(added);
	for (const { values, resolve } of requests) {
		resolve(new Set(values.filter((value) => left.delete(value))));
	}
}
