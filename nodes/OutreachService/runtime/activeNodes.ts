import type { DesiredWebhook, RegisteredWebhook } from '../model/registration';
import type { Selection } from '../model/selection';
import { isSameUrl } from '../model/targetUrl';
import { deferred, type Deferred } from '../utils/deferred';
import type { Mutex } from '../utils/mutex';
import type { Health } from './health';
import { nodeKey, type NodeInWorkflow } from './nodeKey';

/** What this process knows of a trigger node whose workflow is active here. */
export type ActiveNode = {
	/** The node's webhook URL, without the event. */
	base: string;
	/** As read at the activation or the start; undefined when it could not be used. */
	selection: Selection | undefined;
	desired: readonly DesiredWebhook[];
	/** The webhooks whose deliveries are accepted, also those that are to be removed or replaced, or just being created. */
	webhooks: readonly RegisteredWebhook[];
	/** Desired, and nothing delivers them. */
	missing: readonly DesiredWebhook[];
	/** Whether the last change left something to do: the next minute's check tries again. */
	retrySoon: boolean;
	/** How its checks have gone. */
	health: Health;
	/** Why the parameters or the URL could not be used at a start: then what is registered is kept as it is. */
	unusable?: Error | undefined;
};

/**
 * `live`: deliveries and checks count. `closed`: n8n has ended its `trigger()`, because it shuts down, deactivates the
 * workflow, or another main process has taken the lead; nothing counts any more. `leaving`: its webhooks are removed, or
 * could not be. `failed`: the activation failed, and n8n calls `delete` next; `undone`: it has. `unknown`: only its
 * `trigger()` runs.
 */
type State = 'live' | 'closed' | 'leaving' | 'failed' | 'undone' | 'unknown';

type Entry = {
	state: State;
	/** Since when, on the clock of `performance.now()`. */
	since: number;
	node?: ActiveNode;
	/** The latest `trigger()`: an earlier one that ends afterwards must not close its successor. */
	run?: object;
	check?: AbortController;
	/** Resolved when the node is no longer active. */
	ended?: Deferred<undefined>;
};

/** How long a node is kept that is not active any more, in milliseconds: n8n may still call `delete` or `create`. */
const KEPT_MS = 60_000;

/** The maximum number of nodes with a test run; beyond that, all are forgotten. */
const MAX_TEST_RUNS = 500;

type WebhookAtUrl = { _id: string; targetUrl: string };

/** The event of the sample of a test run, and the SHA-256 of its secret. */
export type Sample = { event: string; digest: string };

const uses = ({ desired, webhooks }: ActiveNode, webhook: WebhookAtUrl): boolean =>
	webhooks.some(({ id }) => id === webhook._id) ||
	desired.some(({ targetUrl }) => isSameUrl(targetUrl, webhook.targetUrl));

const lockOf = (key: string, base: string): string => `registration/${key}\n${base}`;

/** The trigger nodes of a process, and the changes of their webhooks that are under way: one entry and one lock each. */
export class ActiveNodes {
	private readonly entries = new Map<string, Entry>();

	/** The test URL of each node that was tested, and the sample that it waits for. */
	private readonly testRuns = new Map<string, { base: string; sample?: Sample }>();

	constructor(private readonly mutex: Mutex) {}

	/** The number of entries of each kind. */
	stats() {
		const entries = [...this.entries.values()];
		return {
			nodes: entries.length,
			checks: entries.filter(({ check }) => check !== undefined).length,
			testRuns: this.testRuns.size,
		};
	}

	/** The node while it is active in this process; never for a test run. */
	get(ctx: NodeInWorkflow): ActiveNode | undefined {
		const entry = this.entries.get(nodeKey(ctx));
		return entry?.state === 'live' ? entry.node : undefined;
	}

	/** What is known of the node, also while it is no longer active. */
	known(ctx: NodeInWorkflow): { state: State; node: ActiveNode | undefined } | undefined {
		this.prune();
		const entry = this.entries.get(nodeKey(ctx));
		return entry && { state: entry.state, node: entry.node };
	}

	/** The node is active from now on. */
	open(ctx: NodeInWorkflow, node: ActiveNode): void {
		this.prune();
		this.move(nodeKey(ctx), 'live', node);
	}

	/** Changes what is known of the node, whether it is still active or not. */
	update(ctx: NodeInWorkflow, change: Partial<ActiveNode>): void {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.node) entry.node = { ...entry.node, ...change };
	}

	/** The node is not active any more. */
	end(ctx: NodeInWorkflow, state: 'leaving' | 'failed' | 'undone'): void {
		this.move(nodeKey(ctx), state);
	}

	private move(key: string, state: State, node?: ActiveNode): void {
		const entry: Entry = this.entries.get(key) ?? { state, since: 0 };
		this.entries.set(key, entry);
		entry.state = state;
		entry.since = performance.now();
		if (node) entry.node = node;
		if (state === 'live') return;
		entry.check?.abort(new Error('The workflow was deactivated'));
		if (state === 'closed') return;
		entry.ended?.resolve(undefined);
		delete entry.ended;
	}

	private prune(): void {
		const now = performance.now();
		for (const [key, { state, since, run, check }] of this.entries) {
			const isOver = run === undefined && check === undefined && state !== 'live';
			if (isOver && now - since > KEPT_MS) this.entries.delete(key);
		}
	}

	/** Resolves once a node is no longer active: immediately when it is not, and never when n8n shuts down. */
	async untilDeleted(ctx: NodeInWorkflow): Promise<void> {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.state !== 'live' && entry?.state !== 'closed') return;
		entry.ended ??= deferred<undefined>();
		await entry.ended.promise;
	}

	/**
	 * Notes that n8n runs this node's `trigger()` here.
	 * @returns to be called when n8n ends it
	 */
	watch(ctx: NodeInWorkflow): () => void {
		const key = nodeKey(ctx);
		const run = {};
		const entry: Entry = this.entries.get(key) ?? { state: 'unknown', since: performance.now() };
		this.entries.set(key, entry);
		entry.run = run;
		return () => {
			const current = this.entries.get(key);
			if (current?.run !== run) return;
			delete current.run;
			if (current.state === 'live') this.move(key, 'closed');
			this.prune();
		};
	}

	/**
	 * Notes the beginning of a check.
	 * @returns its signal and what to call at its end; undefined while an earlier check of the node is under way
	 */
	beginCheck(ctx: NodeInWorkflow): { signal: AbortSignal; end: () => void } | undefined {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.state !== 'live' || entry.check) return undefined;
		const controller = new AbortController();
		entry.check = controller;
		return {
			signal: controller.signal,
			end: () => {
				delete entry.check;
			},
		};
	}

	/** Has a check stop before its next request: a service that hangs must not hold up a deactivation. */
	cancelCheck(ctx: NodeInWorkflow): void {
		this.entries.get(nodeKey(ctx))?.check?.abort(new Error('The workflow was deactivated'));
	}

	/**
	 * Runs the changes of a node's webhooks one at a time. n8n calls `create`, `delete` and the cron job of `trigger()`
	 * independently of each other, and a check must not restore what is just being removed. A test run does not wait for
	 * a check of the active node: the service may hang.
	 * @param base the node's webhook URL, of which test and production have different ones
	 */
	async exclusively<T>(ctx: NodeInWorkflow, base: string, change: () => Promise<T>): Promise<T> {
		return await this.mutex.run(lockOf(nodeKey(ctx), base), change);
	}

	/** Whether a node's webhooks are being changed. @param base see {@link exclusively} */
	isChanging(ctx: NodeInWorkflow, base: string): boolean {
		return this.mutex.isBusy(lockOf(nodeKey(ctx), base));
	}

	private get live(): Array<[key: string, node: ActiveNode]> {
		return [...this.entries].flatMap(([key, { state, node }]) =>
			state === 'live' && node ? [[key, node]] : [],
		);
	}

	/** Whether any trigger is active in this process: in a worker of queue mode none ever is. */
	get hasAny(): boolean {
		return this.live.length > 0;
	}

	/** IDs of the webhooks that other active nodes of this process registered: these are theirs, whatever their URL. */
	webhooksOfOthers(ctx: NodeInWorkflow): ReadonlySet<string> {
		const own = nodeKey(ctx);
		return new Set(
			this.live.flatMap(([key, { webhooks }]) => (key === own ? [] : webhooks.map(({ id }) => id))),
		);
	}

	/** The active trigger that uses a webhook: it registered it, or the webhook has one of its URLs. */
	using(webhook: WebhookAtUrl): ActiveNode | undefined {
		return this.live.find(([, node]) => uses(node, webhook))?.[1];
	}

	/** The ID of the workflow whose active trigger uses a webhook; empty when n8n gave none. */
	workflowUsing(webhook: WebhookAtUrl): string | undefined {
		return this.live.find(([, node]) => uses(node, webhook))?.[0].split('/')[0];
	}

	/** A test run of the node begins, whose webhooks have this URL. */
	beginTestRun(ctx: NodeInWorkflow, base: string): void {
		if (this.testRuns.size >= MAX_TEST_RUNS) this.testRuns.clear();
		this.testRuns.set(nodeKey(ctx), { base });
	}

	/** Whether a URL is that of a test run which this process began, whatever path it has. */
	isTestRun(ctx: NodeInWorkflow, base: string): boolean {
		return this.testRuns.get(nodeKey(ctx))?.base === base;
	}

	/** The sample that the node's test run waits for in this process. */
	sampleRun(ctx: NodeInWorkflow): Sample | undefined {
		return this.testRuns.get(nodeKey(ctx))?.sample;
	}

	/** The test run waits for a sample, or, without one, no longer does. */
	expectSample(ctx: NodeInWorkflow, sample?: Sample): void {
		const testRun = this.testRuns.get(nodeKey(ctx));
		if (!testRun) return;
		if (sample) testRun.sample = sample;
		else delete testRun.sample;
	}
}
