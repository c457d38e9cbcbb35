import type { DesiredWebhook, RegisteredWebhook } from '../model/registration';
import { isSameUrl } from '../model/targetUrl';
import { deferred, type Deferred } from '../utils/deferred';
import type { Mutex } from '../utils/mutex';
import type { Health } from './health';
import { nodeKey, type NodeInWorkflow } from './nodeKey';

/** What this process knows of a trigger node whose workflow is active here. */
export type ActiveNode = {
	/** The node's webhook URL, without the event. */
	base: string;
	desired: readonly DesiredWebhook[];
	/** The webhooks whose deliveries are accepted. */
	webhooks: RegisteredWebhook[];
	/** To be removed: no longer desired, or created by a check that was stopped. */
	leftovers: RegisteredWebhook[];
	/** IDs of the webhooks that a repair or a rotation created: n8n does not save static data that these change. */
	unsaved: ReadonlySet<string>;
	/** Whether the last change left something to do: the next minute's check tries again. */
	incomplete: boolean;
	/** IDs of the webhooks that could not be removed by the latest change, which the log says. */
	failedRemovals?: ReadonlySet<string>;
	/** Target URLs at which a webhook delivers that is to be replaced, and whose successor is not there yet. */
	delivering?: ReadonlySet<string>;
	/** How its checks have gone. */
	health: Health;
	/**
	 * The target URLs that were registered when n8n started, until everything is complete: only their events can be lost,
	 * and only if no webhook has delivered them, whichever process created it (D59).
	 */
	atStart?: ReadonlySet<string> | undefined;
};

/** How long a node is kept after n8n has ended its `trigger()`, in milliseconds: `delete` may still need it. */
const CLOSED_MS = 60_000;

/** The maximum number of nodes that are known to have been deactivated; beyond that, all are forgotten. */
const MAX_LEAVING = 5_000;

type Entry = { node: ActiveNode; closedAt?: number };

type WebhookAtUrl = { _id: string; targetUrl: string };

const uses = ({ desired, webhooks }: ActiveNode, webhook: WebhookAtUrl): boolean =>
	webhooks.some(({ id }) => id === webhook._id) ||
	desired.some(({ targetUrl }) => isSameUrl(targetUrl, webhook.targetUrl));

const lockOf = (key: string, base: string): string => `registration/${key}\n${base}`;

/** The trigger nodes that are active in a process, and the changes of their webhooks that are under way. */
export class ActiveNodes {
	private readonly nodes = new Map<string, Entry>();

	/** Of nodes whose end something waits for. */
	private readonly ends = new Map<string, Deferred<undefined>>();

	/** The latest `trigger()` of each node: an earlier one that ends afterwards must not remove its successor. */
	private readonly watchers = new Map<string, object>();

	/** Nodes whose webhooks this process has removed, or tried to, and that it has not activated again. */
	private readonly leaving = new Set<string>();

	/** The repair of each node that runs, or waits to. */
	private readonly repairs = new Map<string, AbortController>();

	constructor(private readonly mutex: Mutex) {}

	/** The number of entries of each kind. */
	stats() {
		return {
			nodes: this.nodes.size,
			running: this.watchers.size,
			awaited: this.ends.size,
			leaving: this.leaving.size,
			repairs: this.repairs.size,
		};
	}

	/** Known from the registration of a production webhook until it is unregistered; never for a test run. */
	get(ctx: NodeInWorkflow): ActiveNode | undefined {
		return this.nodes.get(nodeKey(ctx))?.node;
	}

	set(ctx: NodeInWorkflow, node: ActiveNode): void {
		this.forgetClosed();
		this.nodes.set(nodeKey(ctx), { node });
		this.leaving.delete(nodeKey(ctx));
	}

	/** Notes that n8n has begun to remove the webhooks of an active node. */
	beginLeaving(ctx: NodeInWorkflow): void {
		if (this.leaving.size >= MAX_LEAVING) this.leaving.clear();
		this.leaving.add(nodeKey(ctx));
	}

	/** Whether this process has removed the webhooks of a node, or tried to, and has not activated it again. */
	isLeaving(ctx: NodeInWorkflow): boolean {
		return this.leaving.has(nodeKey(ctx));
	}

	delete(ctx: NodeInWorkflow): void {
		this.forgetClosed();
		this.forget(nodeKey(ctx));
	}

	/** Resolves once a node is no longer active: immediately when it is not, and never when n8n shuts down. */
	async untilDeleted(ctx: NodeInWorkflow): Promise<void> {
		const key = nodeKey(ctx);
		if (!this.nodes.has(key)) return;
		const end = this.ends.get(key) ?? deferred<undefined>();
		this.ends.set(key, end);
		await end.promise;
	}

	private forget(key: string): void {
		this.nodes.delete(key);
		this.ends.get(key)?.resolve(undefined);
		this.ends.delete(key);
	}

	/**
	 * Notes that n8n runs this node's `trigger()` here.
	 * @returns to be called when n8n ends it. The node's workflow is then deactivated, which unregisters the node, or
	 *   another main process has taken the lead: then this process must forget the node by itself.
	 */
	watch(ctx: NodeInWorkflow): () => void {
		const key = nodeKey(ctx);
		const watcher = {};
		this.watchers.set(key, watcher);
		return () => {
			if (this.watchers.get(key) !== watcher) return;
			this.watchers.delete(key);
			const entry = this.nodes.get(key);
			if (entry) this.nodes.set(key, { ...entry, closedAt: performance.now() });
			this.forgetClosed();
		};
	}

	private forgetClosed(): void {
		const now = performance.now();
		for (const [key, { closedAt }] of this.nodes) {
			if (closedAt !== undefined && now - closedAt > CLOSED_MS) this.forget(key);
		}
	}

	private get open(): Array<[key: string, node: ActiveNode]> {
		return [...this.nodes].flatMap(([key, { node, closedAt }]) =>
			closedAt === undefined ? [[key, node]] : [],
		);
	}

	/** Whether any trigger is active in this process: in a worker of queue mode none ever is. */
	get hasAny(): boolean {
		return this.open.length > 0;
	}

	/** IDs of the webhooks that other active nodes of this process registered: these are theirs, whatever their URL. */
	webhooksOfOthers(ctx: NodeInWorkflow): ReadonlySet<string> {
		const own = nodeKey(ctx);
		return new Set(
			this.open.flatMap(([key, { webhooks }]) => (key === own ? [] : webhooks.map(({ id }) => id))),
		);
	}

	/** The active trigger that uses a webhook: it registered it, or the webhook has one of its URLs. */
	using(webhook: WebhookAtUrl): ActiveNode | undefined {
		return this.open.find(([, node]) => uses(node, webhook))?.[1];
	}

	/** The ID of the workflow whose active trigger uses a webhook; empty when n8n gave none. */
	workflowUsing(webhook: WebhookAtUrl): string | undefined {
		return this.open.find(([, node]) => uses(node, webhook))?.[0].split('/')[0];
	}

	/**
	 * Runs the changes of a node's webhooks one at a time. n8n calls `create`, `delete` and the cron job of `trigger()`
	 * independently of each other, and a repair must not restore what is just being removed. A test run does not wait for
	 * a repair of the active node: the service may hang for minutes.
	 * @param base the node's webhook URL, of which test and production have different ones
	 */
	async exclusively<T>(ctx: NodeInWorkflow, base: string, change: () => Promise<T>): Promise<T> {
		return await this.mutex.run(lockOf(nodeKey(ctx), base), change);
	}

	/** Whether a node's webhooks are being changed. @param base see {@link exclusively} */
	isChanging(ctx: NodeInWorkflow, base: string): boolean {
		return this.mutex.isBusy(lockOf(nodeKey(ctx), base));
	}

	/**
	 * Runs a change of a webhook that an active trigger may use: one after the other with the trigger's own changes,
	 * because a repair would remove a webhook that the trigger does not know yet.
	 * @param change gets the trigger as it is when its turn has come; undefined when none uses the webhook
	 */
	async exclusivelyForWebhook<T>(
		webhook: WebhookAtUrl,
		change: (user: ActiveNode | undefined) => Promise<T>,
	): Promise<T> {
		const found = this.open.find(([, node]) => uses(node, webhook));
		if (!found) return await change(undefined);
		const [key, { base }] = found;
		return await this.mutex.run(lockOf(key, base), async () => await change(this.using(webhook)));
	}

	/**
	 * Notes the beginning of a repair.
	 * @returns its signal and what to call at its end; undefined while an earlier repair of the node is under way
	 */
	beginRepair(ctx: NodeInWorkflow): { signal: AbortSignal; end: () => void } | undefined {
		const key = nodeKey(ctx);
		if (this.repairs.has(key)) return undefined;
		const controller = new AbortController();
		this.repairs.set(key, controller);
		return { signal: controller.signal, end: () => this.repairs.delete(key) };
	}

	/** Has a repair stop before its next request: a service that hangs must not hold up a deactivation. */
	cancelRepair(ctx: NodeInWorkflow): void {
		this.repairs.get(nodeKey(ctx))?.abort(new Error('The workflow was deactivated'));
	}
}
