/** The `Runtime`: everything that a process remembers between two calls from n8n. */
import { RateLimiters } from '../api/rateLimiter';
import type { Sample } from '../domain/sample';
import type { WebhookBase } from '../domain/triggerUrl';
import { Mutex } from '../utils/mutex';
import { AbsentFields } from './absentFields';
import { AcceptedKeys } from './acceptedKeys';
import { TriggerNodes } from './triggerNodes';
import { Batches } from './batches';
import { Duplicates } from './duplicates';

/** The maximum number of things that are remembered to have been told. */
const MAX_TOLD = 10_000;

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

	/** The test runs with samples, by `nodeKey`, and the samples that start the workflow together with the one that is delivered. */
	readonly sampleRuns = new Map<
		string,
		{ readonly base: WebhookBase; otherSamples: readonly Sample[] }
	>();

	readonly acceptedKeys = new AcceptedKeys();

	readonly duplicates = new Duplicates();

	readonly batches = new Batches();

	readonly absentFields = new AbsentFields();

	/** What the user was last told about each thing. */
	private readonly told = new Map<string, string>();

	/**
	 * Notes that the user is told of something.
	 * @param key what it is about, and which node
	 * @returns whether the user was told something else about it before, or nothing
	 */
	noteTold(key: string, text = ''): boolean {
		if (this.told.get(key) === text) return false;
		this.told.set(key, text);
		const [oldest] = this.told.keys();
		if (this.told.size > MAX_TOLD && oldest !== undefined) this.told.delete(oldest);
		return true;
	}

	/** Notes that something is over: if it comes again, the user is told again. */
	forgetTold(key: string): void {
		this.told.delete(key);
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
			sampleRuns: this.sampleRuns.size,
			acceptedKeys: this.acceptedKeys.size,
			locks: this.mutex.size,
			rateLimiters: this.rateLimiters.size,
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
