import type { Client } from '../api/client';
import { isOwnUrl, triggerUrlIn, type WebhookBase } from '../domain/triggerUrl';
import type { RegisteredWebhook } from '../domain/registration';
import type { Digest } from '../domain/secret';
import type { Sample } from '../domain/sample';
import type { Selection } from '../parameters/selection';
import { normalizeUrl } from '../domain/targetUrl';
import type { Mutex } from '../utils/mutex';
import type { Settled } from '../utils/settle';

/** The part of n8n's contexts that tells which node of which workflow is meant. */
export type NodeInWorkflow = {
	getWorkflow(): { id?: string | undefined; name?: string | undefined };
	getNode(): { id: string; name?: string };
};

/** Identifies a node among all workflows of an n8n. */
export const nodeKey = (ctx: NodeInWorkflow): string =>
	`${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;

/** Checks in a row that have found the same problem: when the first of them began, and how many there were. */
export type ProblemStreak = { since: number; times: number };

/** How the checks of a node's webhooks have gone. Times are in milliseconds since 1970. */
export type Health = {
	/** When a check last found or made the webhooks complete; undefined: not since this process knows the node. */
	goodAt?: number | undefined;
	/** Those that have failed since then. */
	failing?: ProblemStreak | undefined;
	/** Those that have found that n8n has lost the node's route. */
	routeLost?: ProblemStreak | undefined;
	/** Those that have found that the service's list does not show some of the webhooks (D82). */
	unlisted?: ProblemStreak | undefined;
	/** Events whose webhooks were gone and were created again, and of which the user has not been told yet. */
	lost: readonly string[];
};

/** What identifies the secret of a webhook: its event, and the SHA-256 of the secret. */
type AcceptedSecret = Pick<RegisteredWebhook, 'event' | 'digest'>;

/** What this process knows of a trigger node whose workflow is active here. */
export type ActiveNode = {
	base: WebhookBase;
	/** As read at the activation or the start; or why it cannot be used: then what is registered stays as it is. */
	selection: Settled<Selection>;
	/** The webhooks whose deliveries are accepted, also those that are to be removed or replaced. */
	webhooks: readonly RegisteredWebhook[];
	/**
	 * The secrets of the desired webhooks, known before these are created: a webhook may deliver before the response to its
	 * create arrives (D81). Undefined until the credential has been read.
	 */
	expected: readonly AcceptedSecret[] | undefined;
	/** The service at which the webhooks are registered, see `Client.serviceId`; undefined until that is known. */
	service: string | undefined;
	/** Whether an activation or a start of the node has succeeded: what n8n does next is then no first activation (D79). */
	hasBeenLive: boolean;
	/** Whether a change is under way, or the last one left something to do: the next minute's check tries again. */
	isUnfinished: boolean;
	/** How its checks have gone. */
	health: Health;
};

/** What a node begins with when it goes live. */
export const NEW_NODE = {
	expected: undefined,
	service: undefined,
	hasBeenLive: false,
	isUnfinished: true,
	health: { lost: [] },
} as const satisfies Partial<ActiveNode>;

/**
 * `live`: deliveries and checks count. `closed`: n8n has ended its `trigger()`, because it shuts down, deactivates the
 * workflow, or another main process has taken the lead; nothing counts any more. `leaving`: n8n has called `delete`. Its
 * webhooks are about to be removed, are being removed, or could not be removed.
 */
type State = 'live' | 'closed' | 'leaving';

/** A call of `delete`, with a client that has the credential of that moment. */
export type Departure = { client: Client };

type Entry = {
	state: State;
	/** The workflow and the node, as a person knows them. */
	title?: string;
	/** Undefined when n8n called `delete` for a node that this process did not know. */
	node?: ActiveNode;
	/** The latest call of `delete`. */
	departure?: Departure;
};

/** The maximum number of webhooks left behind; beyond that, the oldest are forgotten. */
const MAX_LEFT_BEHIND = 5_000;

type WebhookAtUrl = { _id: string; targetUrl: string };

/** The latest test run of a node in this process. */
export type TestRun = {
	/** The test URL of its webhooks, whatever path n8n gives it. */
	base: WebhookBase;
	/** Whether n8n listens for its event. What is registered at the test URL is needed only meanwhile (D84). */
	isListening: boolean;
	/** While it waits for a sample. */
	sample?: {
		/** The event that its target URL names. */
		event: string;
		/** That of its secret. */
		digest: Digest;
		/** The samples of other events that start the workflow together with it. */
		others: readonly Sample[];
	};
};

const uses = ({ base, webhooks }: ActiveNode, { _id, targetUrl }: WebhookAtUrl): boolean =>
	webhooks.some(({ id }) => id === _id) || isOwnUrl(base, targetUrl);

/** Identifies what a node has registered at one of its webhook URLs: those of test and production differ. */
export const registrationKey = (ctx: NodeInWorkflow, base: WebhookBase): string =>
	`registration/${nodeKey(ctx)}\n${base}`;

/** The trigger nodes of a process, and the changes of their webhooks that are under way: one entry and one lock each. */
export class ActiveNodes {
	private readonly entries = new Map<string, Entry>();

	/** The change that each lock is held by. */
	private readonly changes = new Map<string, AbortController>();

	/** The latest `trigger()` of each node: an earlier one that ends afterwards must not close its successor. */
	private readonly runs = new Map<string, object>();

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
			runs: this.runs.size,
		};
	}

	/** The node while it is active in this process; never for a test run. */
	get(ctx: NodeInWorkflow): ActiveNode | undefined {
		const entry = this.entries.get(nodeKey(ctx));
		return entry?.state === 'live' ? entry.node : undefined;
	}

	/** What is known of the node, also while it is no longer active. */
	entryOf(ctx: NodeInWorkflow): Readonly<Pick<Entry, 'state' | 'node'>> | undefined {
		return this.entries.get(nodeKey(ctx));
	}

	/** The node is active from now on. */
	open(ctx: NodeInWorkflow, node: ActiveNode): void {
		const title = [ctx.getWorkflow().name, ctx.getNode().name].filter(Boolean).join(' · ');
		this.entries.set(nodeKey(ctx), { state: 'live', node, title });
	}

	/** Changes what is known of the node, whether it is still active or not. */
	update(ctx: NodeInWorkflow, change: Partial<ActiveNode>): void {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.node) entry.node = { ...entry.node, ...change };
	}

	/**
	 * The node is not active any more: n8n has called `delete`. What is known of it is kept until its webhooks are removed,
	 * because n8n may call `create` again.
	 */
	leave(ctx: NodeInWorkflow, departure: Departure): void {
		const entry: Entry = { state: 'leaving', departure };
		const node = this.entryOf(ctx)?.node;
		if (node) entry.node = node;
		this.entries.set(nodeKey(ctx), entry);
	}

	/** Whether nothing has happened to the node since it left: neither `create` nor another `delete` was called. */
	isLeaving(ctx: NodeInWorkflow, departure: Departure): boolean {
		return this.departure(ctx) === departure;
	}

	/** The call of `delete` after which nothing else has happened to the node. */
	departure(ctx: NodeInWorkflow): Departure | undefined {
		return this.entries.get(nodeKey(ctx))?.departure;
	}

	/** Forgets a node whose webhooks have been removed. */
	forget(ctx: NodeInWorkflow): void {
		this.entries.delete(nodeKey(ctx));
	}

	/**
	 * Notes that n8n runs the `trigger()` of a node, which it calls at the same time as `create`.
	 * @returns to be called when n8n ends it
	 */
	watch(ctx: NodeInWorkflow): () => void {
		const key = nodeKey(ctx);
		const run = {};
		this.runs.set(key, run);
		return () => {
			if (this.runs.get(key) !== run) return;
			this.runs.delete(key);
			const entry = this.entries.get(key);
			if (entry?.state !== 'live') return;
			entry.state = 'closed';
			if (entry.node) this.cancel(ctx, entry.node.base);
		};
	}

	/**
	 * Runs the changes of a node's webhooks one at a time. n8n calls `create`, `delete` and the cron job of `trigger()`
	 * independently of each other, and a check must not restore what is just being removed. A test run does not wait for
	 * a check of the active node: the service may hang.
	 * @param change gets a signal that {@link cancel} aborts
	 */
	async exclusively<T>(
		ctx: NodeInWorkflow,
		base: WebhookBase,
		change: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		const lock = registrationKey(ctx, base);
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
	cancel(ctx: NodeInWorkflow, base: WebhookBase): void {
		this.changes.get(registrationKey(ctx, base))?.abort();
	}

	/** Whether a node's webhooks are being changed. */
	isChanging(ctx: NodeInWorkflow, base: WebhookBase): boolean {
		return this.mutex.isBusy(registrationKey(ctx, base));
	}

	/** Notes webhooks that could not be removed: the next change with an API key that lists them removes them. */
	leaveBehind(webhooks: ReadonlyArray<Pick<RegisteredWebhook, 'id' | 'targetUrl'>>): void {
		for (const { id, targetUrl } of webhooks) this.leftBehind.set(id, targetUrl);
		for (const oldest of this.leftBehind.keys()) {
			if (this.leftBehind.size <= MAX_LEFT_BEHIND) break;
			this.leftBehind.delete(oldest);
		}
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

	/**
	 * Finds whose a webhook is: the workflow and the node of the active trigger that registered it, or at whose URL it is.
	 * @returns a function that is quick for many webhooks, and gives undefined for one of nobody in this process
	 */
	owners(): (webhook: WebhookAtUrl) => string | undefined {
		const byId = new Map<string, string>();
		const byBase = new Map<string, string>();
		for (const { state, node, title = '' } of this.entries.values()) {
			if (state !== 'live' || !node) continue;
			byBase.set(normalizeUrl(node.base), title);
			for (const { id } of node.webhooks) byId.set(id, title);
		}
		return ({ _id, targetUrl }) => {
			const registered = byId.get(_id);
			if (registered !== undefined || byBase.size === 0) return registered;
			const base = triggerUrlIn(targetUrl)?.base;
			return base === undefined ? undefined : byBase.get(normalizeUrl(base));
		};
	}

	/** Whether a webhook is one of an active trigger: it registered it, or the webhook has its URL. */
	isUsed(webhook: WebhookAtUrl): boolean {
		return this.live.some(([, node]) => uses(node, webhook));
	}

	beginTestRun(ctx: NodeInWorkflow, base: WebhookBase): TestRun {
		const testRun: TestRun = { base, isListening: true };
		this.testRuns.set(nodeKey(ctx), testRun);
		return testRun;
	}

	/** n8n no longer listens. The URL is kept: n8n may call `delete` once more, and only the URL tells for what. */
	endTestRun(ctx: NodeInWorkflow, base: WebhookBase): void {
		this.testRuns.set(nodeKey(ctx), { base, isListening: false });
	}

	testRun(ctx: NodeInWorkflow): TestRun | undefined {
		return this.testRuns.get(nodeKey(ctx));
	}
}
