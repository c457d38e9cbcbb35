import { RateLimiters } from '../api/rateLimiter';
import { Mutex } from '../utils/mutex';
import { RecentSet } from '../utils/recentSet';
import { AbsentFields } from './absentFields';
import { ActiveNodes } from './activeNodes';
import { Batches } from './batches';
import { Duplicates } from './duplicates';
import { OpenCreates } from './openCreates';
import { RecordedActivities } from './recordedActivities';
import { VerifyingClients } from './verifyingClients';

/** How many things are known to have happened, at least. */
const MIN_HAPPENED = 1_000;

/**
 * Everything that a process remembers between two calls from n8n. Nothing else in the package changes after it is
 * loaded.
 */
export class Runtime {
	readonly mutex = new Mutex();

	readonly limiters = new RateLimiters();

	readonly activeNodes = new ActiveNodes(this.mutex);

	readonly openCreates = new OpenCreates();

	readonly verifyingClients = new VerifyingClients();

	readonly duplicates = new Duplicates();

	readonly recordedActivities = new RecordedActivities();

	readonly batches = new Batches();

	readonly absentFields = new AbsentFields();

	private readonly happened = new RecentSet(MIN_HAPPENED);

	/**
	 * Whether something happens for the first time in this process, for what is logged once.
	 * @param key what happens, and for which node
	 */
	once(key: string): boolean {
		return this.happened.add(key);
	}

	/** The number of entries of each kind, for whoever checks that nothing grows without end. */
	stats() {
		return {
			...this.activeNodes.stats(),
			...this.duplicates.stats(),
			locks: this.mutex.size,
			limiters: this.limiters.size,
			openCreates: this.openCreates.size,
			verifyingClients: this.verifyingClients.size,
			recordingNodes: this.recordedActivities.size,
			heldDeliveries: this.batches.size,
			happened: this.happened.size,
			absentFields: this.absentFields.size,
		};
	}
}

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
