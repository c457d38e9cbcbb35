/** The `Runtime`: everything that a process remembers between two calls from n8n. */
import { RateLimiters } from '../api/rateLimiter';
import { Mutex } from '../utils/mutex';
import { RecentSet } from '../utils/recentSet';
import { AbsentFields } from './absentFields';
import { TriggerNodes } from './triggerNodes';
import { Batches } from './batches';
import { Duplicates } from './duplicates';
import { LeftBehind } from './leftBehind';
import { OpenCreates } from './openCreates';
import { RecordedActivities } from './recordedActivities';
import { RemovedWebhooks } from './removedWebhooks';
import { TestRuns } from './testRuns';
import { VerifyingClients } from './verifyingClients';

/** The minimum number of things that are remembered to have been told. */
const MIN_TOLD = 1_000;

/** The part of n8n's contexts that a warning needs. */
type WithLogger = {
	logger: { warn(message: string, meta?: object): void };
	getWorkflow(): { id?: string | undefined };
};

/**
 * Everything that a process remembers. Nothing else in the package changes after it is loaded. A test gives its nodes a
 * `Runtime` of their own.
 */
export class Runtime {
	readonly mutex = new Mutex();

	readonly rateLimiters = new RateLimiters();

	readonly triggerNodes = new TriggerNodes(this.mutex);

	readonly testRuns = new TestRuns();

	readonly openCreates = new OpenCreates();

	readonly leftBehind = new LeftBehind();

	readonly removedWebhooks = new RemovedWebhooks();

	readonly verifyingClients = new VerifyingClients();

	readonly duplicates = new Duplicates();

	readonly recordedActivities = new RecordedActivities();

	readonly batches = new Batches();

	readonly absentFields = new AbsentFields();

	private readonly told = new RecentSet(MIN_TOLD);

	/**
	 * Notes that the user is told of something.
	 * @param key what it is, and of which node
	 * @returns whether this process has not told it before
	 */
	noteTold(key: string): boolean {
		return this.told.add(key);
	}

	/** Logs a warning, once in a process. @param key see {@link noteTold} */
	warnOnce(ctx: WithLogger, key: string, message: string): void {
		if (this.noteTold(key)) ctx.logger.warn(message, { workflowId: ctx.getWorkflow().id });
	}

	/** The number of entries of each kind, for whoever checks that nothing grows without end. */
	stats() {
		return {
			...this.triggerNodes.stats(),
			...this.duplicates.stats(),
			...this.recordedActivities.stats(),
			locks: this.mutex.size,
			rateLimiters: this.rateLimiters.size,
			testRuns: this.testRuns.size,
			openCreates: this.openCreates.size,
			leftBehind: this.leftBehind.size,
			removedWebhooks: this.removedWebhooks.size,
			verifyingClients: this.verifyingClients.size,
			heldDeliveries: this.batches.size,
			told: this.told.size,
			absentFields: this.absentFields.size,
		};
	}
}

/** The `Runtime` of this process, which both nodes share. */
export const processRuntime = new Runtime();

/**
 * Makes a method of a node from a function of ours. n8n calls the method with its context as `this`, and the method hands
 * that context and the node's runtime to the function.
 */
export const withRuntime = <Context, Args extends unknown[], R>(
	node: { readonly runtime: Runtime },
	run: (ctx: Context, runtime: Runtime, ...args: Args) => R,
) =>
	function (this: Context, ...args: Args): R {
		return run(this, node.runtime, ...args);
	};
