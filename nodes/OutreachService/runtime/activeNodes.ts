import { isOwnUrl } from '../model/n8nUrls';
import type { RegisteredWebhook } from '../model/registration';
import type { Sample } from '../model/sample';
import type { Selection } from '../model/selection';
import type { Mutex } from '../utils/mutex';
import type { Settled } from '../utils/settle';

/** The part of n8n's contexts that tells which node of which workflow is meant. */
export type NodeInWorkflow = {
	getWorkflow(): { id?: string | undefined };
	getNode(): { id: string };
};

/** Identifies a node among all workflows of an n8n. */
export const nodeKey = (ctx: NodeInWorkflow): string =>
	`${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;

/** Checks in a row that have found the same problem: when the first of them began, and how many there were. */
export type Row = { since: number; times: number };

/** How the checks of a node's webhooks have gone. Times are in milliseconds since 1970. */
export type Health = {
	/** When a check last found or made the webhooks complete; undefined: not since this process knows the node. */
	goodAt?: number | undefined;
	/** Those that have failed since then. */
	failing?: Row | undefined;
	/** Those that have found that n8n has lost the node's route. */
	routeLost?: Row | undefined;
	/** Events whose webhooks were gone and were created again, since the webhooks were last complete. */
	lost: readonly string[];
};

/** What this process knows of a trigger node whose workflow is active here. */
export type ActiveNode = {
	/** The node's webhook URL, without the event. */
	base: string;
	/** As read at the activation or the start; or why it cannot be used: then what is registered stays as it is. */
	selection: Settled<Selection>;
	/** The webhooks whose deliveries are accepted, also those that are to be removed or replaced. */
	webhooks: readonly RegisteredWebhook[];
	/**
	 * Whether a change is under way, or the last one left something to do: the next minute's check tries again, and a
	 * webhook may deliver that is not in `webhooks` yet.
	 */
	isUnfinished: boolean;
	/** How its checks have gone. */
	health: Health;
};

/** What a node begins with when it goes live. */
export const NEW_NODE = {
	isUnfinished: true,
	health: { lost: [] },
} as const satisfies Partial<ActiveNode>;

/**
 * `live`: deliveries and checks count. `closed`: n8n has ended its `trigger()`, because it shuts down, deactivates the
 * workflow, or another main process has taken the lead; nothing counts any more. `leaving`: its webhooks are removed, or
 * could not be. `failed`: the activation failed, and n8n calls `delete` next; `undone`: it has.
 */
type State = 'live' | 'closed' | 'leaving' | 'failed' | 'undone';

type Entry = {
	state: State;
	/** Undefined when an activation failed before anything was known. */
	node?: ActiveNode;
	/** The latest `trigger()`: an earlier one that ends afterwards must not close its successor. */
	run?: object;
};

/** The maximum number of webhooks left behind; beyond that, all are forgotten. */
const MAX_LEFT_BEHIND = 500;

type WebhookAtUrl = { _id: string; targetUrl: string };

/** The latest test run of a node in this process. */
export type TestRun = {
	/** The test URL of its webhooks, whatever path n8n gives it. */
	base: string;
	/** While it waits for a sample. */
	sample?: {
		/** The event that its target URL names. */
		event: string;
		/** The SHA-256 of its secret. */
		digest: string;
		/** The samples of other events that start the workflow together with it. */
		others: readonly Sample[];
	};
};

const uses = ({ base, webhooks }: ActiveNode, { _id, targetUrl }: WebhookAtUrl): boolean =>
	webhooks.some(({ id }) => id === _id) || isOwnUrl(base, targetUrl);

const lockOf = (key: string, base: string): string => `registration/${key}\n${base}`;

/** The trigger nodes of a process, and the changes of their webhooks that are under way: one entry and one lock each. */
export class ActiveNodes {
	private readonly entries = new Map<string, Entry>();

	/** The change that each lock is held by. */
	private readonly changes = new Map<string, AbortController>();

	private readonly testRuns = new Map<string, TestRun>();

	/** Webhooks that nobody needs and that could not be removed, by ID: their target URLs. */
	readonly leftBehind = new Map<string, string>();

	constructor(private readonly mutex: Mutex) {}

	/** The number of entries of each kind. */
	stats() {
		return {
			activeNodes: this.entries.size,
			changes: this.changes.size,
			testRuns: this.testRuns.size,
			leftBehind: this.leftBehind.size,
		};
	}

	/** The node while it is active in this process; never for a test run. */
	get(ctx: NodeInWorkflow): ActiveNode | undefined {
		const entry = this.entries.get(nodeKey(ctx));
		return entry?.state === 'live' ? entry.node : undefined;
	}

	/** What is known of the node, also while it is no longer active. */
	known(ctx: NodeInWorkflow): Readonly<Pick<Entry, 'state' | 'node'>> | undefined {
		return this.entries.get(nodeKey(ctx));
	}

	/** The node is active from now on. */
	open(ctx: NodeInWorkflow, node: ActiveNode): void {
		const key = nodeKey(ctx);
		this.entries.set(key, { ...this.entries.get(key), state: 'live', node });
	}

	/** Changes what is known of the node, whether it is still active or not. */
	update(ctx: NodeInWorkflow, change: Partial<ActiveNode>): void {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.node) entry.node = { ...entry.node, ...change };
	}

	/** The node is not active any more. What is known of it is kept: n8n may still call `delete`, or `create` again. */
	end(ctx: NodeInWorkflow, state: Exclude<State, 'live'>): void {
		const key = nodeKey(ctx);
		this.entries.set(key, { ...this.entries.get(key), state });
	}

	/**
	 * Notes that n8n runs the `trigger()` of an active node.
	 * @returns to be called when n8n ends it
	 */
	watch(ctx: NodeInWorkflow): () => void {
		const run = {};
		const entry = this.entries.get(nodeKey(ctx));
		if (entry) entry.run = run;
		return () => {
			const current = this.entries.get(nodeKey(ctx));
			if (current?.run !== run) return;
			delete current.run;
			if (current.state !== 'live') return;
			this.end(ctx, 'closed');
			this.cancel(ctx, current.node?.base ?? '');
		};
	}

	/**
	 * Runs the changes of a node's webhooks one at a time. n8n calls `create`, `delete` and the cron job of `trigger()`
	 * independently of each other, and a check must not restore what is just being removed. A test run does not wait for
	 * a check of the active node: the service may hang.
	 * @param base the node's webhook URL, of which test and production have different ones
	 * @param change gets a signal that {@link cancel} aborts
	 */
	async exclusively<T>(
		ctx: NodeInWorkflow,
		base: string,
		change: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		const lock = lockOf(nodeKey(ctx), base);
		return await this.mutex.run(lock, async () => {
			const controller = new AbortController();
			this.changes.set(lock, controller);
			try {
				return await change(controller.signal);
			} finally {
				this.changes.delete(lock);
			}
		});
	}

	/** Has the change that is under way end: a service that hangs must not hold up a deactivation. */
	cancel(ctx: NodeInWorkflow, base: string): void {
		this.changes.get(lockOf(nodeKey(ctx), base))?.abort();
	}

	/** Whether a node's webhooks are being changed. @param base see {@link exclusively} */
	isChanging(ctx: NodeInWorkflow, base: string): boolean {
		return this.mutex.isBusy(lockOf(nodeKey(ctx), base));
	}

	/** Notes webhooks that could not be removed: the next change with an API key that lists them removes them. */
	leaveBehind(webhooks: ReadonlyArray<Pick<RegisteredWebhook, 'id' | 'targetUrl'>>): void {
		if (this.leftBehind.size + webhooks.length > MAX_LEFT_BEHIND) this.leftBehind.clear();
		for (const { id, targetUrl } of webhooks) this.leftBehind.set(id, targetUrl);
	}

	private get live(): Array<[key: string, node: ActiveNode]> {
		return [...this.entries].flatMap(([key, { state, node }]) =>
			state === 'live' && node ? [[key, node]] : [],
		);
	}

	/** IDs of the webhooks that other active nodes of this process registered: these are theirs, whatever their URL. */
	webhooksOfOthers(ctx: NodeInWorkflow): ReadonlySet<string> {
		const own = nodeKey(ctx);
		return new Set(
			this.live.flatMap(([key, { webhooks }]) => (key === own ? [] : webhooks.map(({ id }) => id))),
		);
	}

	/** Whether a webhook is one of an active trigger: it registered it, or the webhook has its URL. */
	isUsed(webhook: WebhookAtUrl): boolean {
		return this.live.some(([, node]) => uses(node, webhook));
	}

	beginTestRun(ctx: NodeInWorkflow, base: string): TestRun {
		const testRun: TestRun = { base };
		this.testRuns.set(nodeKey(ctx), testRun);
		return testRun;
	}

	testRun(ctx: NodeInWorkflow): TestRun | undefined {
		return this.testRuns.get(nodeKey(ctx));
	}
}
