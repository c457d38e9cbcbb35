import { RateLimiters } from '../api/rateLimiter';
import { RecentCreates } from '../api/recentCreates';
import { Mutex } from '../utils/mutex';
import { ActiveNodes } from './activeNodes';
import { Batches } from './batches';
import { DerivedDigests } from './derivedDigests';
import { Duplicates } from './duplicates';
import { RecordedActivities } from './recordedActivities';

/** The maximum number of things that are known to have happened; beyond that, all are forgotten. */
const MAX_HAPPENED = 1_000;

/**
 * Everything that a process remembers between two calls from n8n. Nothing else in the package changes after it is
 * loaded.
 */
export class Runtime {
	readonly mutex = new Mutex();

	readonly limiters = new RateLimiters();

	readonly recentCreates = new RecentCreates();

	readonly activeNodes = new ActiveNodes(this.mutex);

	readonly derivedDigests = new DerivedDigests();

	readonly duplicates = new Duplicates();

	readonly recordedActivities = new RecordedActivities();

	readonly batches = new Batches();

	private readonly happened = new Set<string>();

	/**
	 * Whether something happens for the first time in this process, for what is logged once.
	 * @param key what happens, and for which node
	 */
	once(key: string): boolean {
		if (this.happened.has(key)) return false;
		if (this.happened.size >= MAX_HAPPENED) this.happened.clear();
		this.happened.add(key);
		return true;
	}

	/** The number of entries of each kind, for whoever checks that nothing grows without end. */
	stats() {
		const { remembered, claims, waiting } = this.duplicates.stats();
		const { nodes, changes, testRuns, leftBehind } = this.activeNodes.stats();
		return {
			activeNodes: nodes,
			changes,
			testRuns,
			leftBehind,
			locks: this.mutex.size,
			limiters: this.limiters.size,
			recentCreates: this.recentCreates.size,
			derivedDigests: this.derivedDigests.size,
			rememberedActivities: remembered,
			claimedActivities: claims,
			waitingDuplicates: waiting,
			recordingNodes: this.recordedActivities.size,
			heldDeliveries: this.batches.size,
			happened: this.happened.size,
		};
	}
}

export type RuntimeStats = ReturnType<Runtime['stats']>;

/** The one of this process, which both nodes share. */
export const processRuntime = new Runtime();

/** A method of a node. n8n calls it with its context as `this`: this hands that and the runtime to a function. */
export const withRuntime = <Context, Args extends unknown[], R>(
	node: { readonly runtime: Runtime },
	run: (ctx: Context, runtime: Runtime, ...args: Args) => R,
) =>
	function (this: Context, ...args: Args): R {
		return run(this, node.runtime, ...args);
	};
