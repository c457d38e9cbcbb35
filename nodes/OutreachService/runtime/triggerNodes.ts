/** The trigger nodes of a process, each at its base: what it knows of their webhooks, and a lock for the changes of these. */
import type { Client } from '../api/client';
import { baseIn, type WebhookBase } from '../domain/triggerUrl';
import type { Sample } from '../domain/sample';
import type { Webhook } from '../domain/webhook';
import type { Selection } from '../parameters/selection';
import type { Moment } from '../utils/moment';
import type { Mutex } from '../utils/mutex';
import type { Outcome } from '../utils/settle';

/** The part of n8n's contexts that tells which node of which workflow is meant. */
export type NodeInWorkflow = {
	getWorkflow(): { id?: string | undefined; name?: string | undefined };
	getNode(): { id: string; name?: string };
};

/** Identifies a node among all workflows of an n8n. */
export const nodeKey = (ctx: NodeInWorkflow): string =>
	`${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;

/** A create whose outcome is not known: the service may have carried it out, or may still do so (D112). */
type OpenCreate = {
	sentAt: Moment;
	/** The IDs of the webhooks that existed before. None of them is its result. */
	idsBefore: ReadonlySet<string>;
	/** The response, which may arrive long after the change that has sent the create. Never rejects. */
	end: Promise<Outcome<Webhook>>;
	/** Why the service has refused it for the time being, such as its rate limit. It is sent again without a further change. */
	refusal?: Error | undefined;
};

/** What this process knows of the webhook at a target URL. */
export type KnownWebhook = {
	/** The ID that a list or a response last showed. */
	id?: string | undefined;
	/** Whether a list has shown this ID. If not, the list may be late or incomplete. */
	isListed: boolean;
	/** Whether this process has created it, so that it certainly has the right secret. */
	isMade: boolean;
	/** When it was known to have done so, as `performance.now()` tells it. */
	madeAt?: number | undefined;
	/** How many confirmed creates of this process no list has shown. */
	unlistedCreates: number;
	open?: OpenCreate | undefined;
	/**
	 * The ID of the webhook that was gone when it was last compared, empty if no ID is known; undefined while none is. Its events are
	 * lost once another webhook exists in its place: a list that comes late may show it again.
	 */
	vanishedId?: string | undefined;
	/** Whether a delivery had a wrong secret, so that somebody may have replaced the webhook. */
	isSuspect: boolean;
};

/** Something that several checks in a row have found. */
export type Incident = { checks: number; since: number; isTold: boolean };

/** How the checks of a node have gone, and what is left to do or to report. */
export type Health = {
	/** When the webhooks were last complete, in milliseconds since 1970; undefined if that was never so in this process. */
	completeAt?: number | undefined;
	/** Since when nothing is left to do; undefined while a check is due. */
	idleSince?: Moment | undefined;
	/** The checks fail. */
	failing?: Incident | undefined;
	/** n8n no longer listens at the base (D78). */
	listenerLost?: Incident | undefined;
	/** The service does not list webhooks that exist. */
	incompleteList?: Incident | undefined;
	/** Lost events of which the user has not been told yet. */
	lost: readonly string[];
};

/** What this process knows of a trigger node at one of its bases: in production, or in a test run. */
export type TriggerNode = {
	readonly key: string;
	/** The names of workflow and node. */
	readonly title: string;
	readonly base: WebhookBase;
	/** What the parameters select; or why they cannot be used. */
	selection: Outcome<Selection>;
	/** Whether it was activated or started here, and its removal is not complete. */
	isActivated: boolean;
	/** Whether n8n has started it, and no list of the webhooks was read since. */
	isStarting: boolean;
	/** Whether n8n has ended its `trigger()`: it shuts down, ends the workflow, or another main process leads now. */
	isStopped: boolean;
	/** Has the credential that the node had when n8n called `delete`; undefined unless that was the last call. */
	endedWith?: Client | undefined;
	/** Whether webhooks may be at the base: a test run with samples has none. */
	mayHaveWebhooks: boolean;
	/** What is known of the webhooks at the base, by normalized target URL. */
	known: Map<string, KnownWebhook>;
	/**
	 * The credentials with which webhooks were created since they were last complete, by account: those of earlier ones are removed
	 * once all desired webhooks exist.
	 */
	readonly clients: Map<string, Client>;
	/** Whether a webhook was removed for a refused create, and the create was refused all the same. */
	hasMadeRoomInVain?: boolean | undefined;
	/** When a webhook was last replaced because of a delivery with a wrong secret. */
	suspectedAt?: Moment | undefined;
	health: Health;
	/** In a test run with samples: those that start the workflow together with the one that is delivered. */
	otherSamples?: readonly Sample[] | undefined;
};

const newNode = (ctx: NodeInWorkflow, base: WebhookBase): TriggerNode => ({
	key: nodeKey(ctx),
	title: [ctx.getWorkflow().name, ctx.getNode().name].filter(Boolean).join(' · '),
	base,
	selection: { ok: false, error: new Error('The parameters were not read yet') },
	isActivated: false,
	isStarting: false,
	isStopped: false,
	mayHaveWebhooks: false,
	clients: new Map(),
	known: new Map(),
	health: { lost: [] },
});

/** Whether n8n runs the node, as far as this process knows. */
export const isActive = ({ isActivated, isStopped, endedWith }: TriggerNode): boolean =>
	isActivated && !isStopped && endedWith === undefined;

export class TriggerNodes {
	/** The node that has each base. */
	private readonly byBase = new Map<string, TriggerNode>();

	/** Each node in production, also while another node has its base. */
	private readonly inProduction = new Map<string, TriggerNode>();

	/** The test run of each node, also once it is over. */
	private readonly testRuns = new Map<string, TriggerNode>();

	/** The latest `trigger()` of each node. n8n may end an earlier one after it has begun, which must not end the node. */
	private readonly triggers = new Map<string, object>();

	/** Cancels the change that is under way, by base. */
	private readonly changes = new Map<string, AbortController>();

	constructor(private readonly mutex: Mutex) {}

	/** The node in production, while n8n runs it in this process. Called in a test run, it returns the active node, too. */
	active(ctx: NodeInWorkflow): TriggerNode | undefined {
		const node = this.inProduction.get(nodeKey(ctx));
		return node && isActive(node) ? node : undefined;
	}

	/** The latest test run of the node. */
	testRun(ctx: NodeInWorkflow): TriggerNode | undefined {
		return this.testRuns.get(nodeKey(ctx));
	}

	/** Whether a node is a test run of itself. */
	isTestRun(node: TriggerNode): boolean {
		return this.testRuns.get(node.key) === node;
	}

	/** What this process knows of the node at a base. */
	at(ctx: NodeInWorkflow, base: WebhookBase): TriggerNode | undefined {
		const key = nodeKey(ctx);
		return [this.inProduction.get(key), this.testRuns.get(key)].find(
			(node) => node !== undefined && baseIn(node.base) === baseIn(base),
		);
	}

	/** Another active node that has a base: a node that is pasted into another workflow keeps its URL. */
	otherAt(ctx: NodeInWorkflow, base: WebhookBase): TriggerNode | undefined {
		const node = this.byBase.get(baseIn(base));
		return node && node.key !== nodeKey(ctx) && isActive(node) ? node : undefined;
	}

	/** The node in production, whatever its state is. */
	known(ctx: NodeInWorkflow): TriggerNode | undefined {
		return this.inProduction.get(nodeKey(ctx));
	}

	/**
	 * Notes that n8n has called `create`, and cancels what is under way at the base. What is known of the webhooks there stays
	 * known: of this node, and of an earlier one that n8n has ended. But not if another active node has the base.
	 */
	begin(ctx: NodeInWorkflow, base: WebhookBase, { isTest }: { isTest: boolean }): TriggerNode {
		const node = this.at(ctx, base) ?? newNode(ctx, base);
		(isTest ? this.testRuns : this.inProduction).set(node.key, node);
		if (this.claim(node)) this.cancel(base);
		return node;
	}

	/** A node of which this process knows nothing but that n8n has called its `delete`. */
	unknown(ctx: NodeInWorkflow, base: WebhookBase): TriggerNode {
		const node = { ...newNode(ctx, base), mayHaveWebhooks: true };
		this.claim(node);
		return node;
	}

	/** Whether n8n has called `delete`, and no `create` since. */
	isEnding({ endedWith }: TriggerNode): boolean {
		return endedWith !== undefined;
	}

	/** Whether a node has its base. */
	holds(node: TriggerNode): boolean {
		return this.byBase.get(baseIn(node.base)) === node;
	}

	/** Gives a node its base, unless another active node has it. @returns whether the node has it */
	claim(node: TriggerNode): boolean {
		const base = baseIn(node.base);
		const holder = this.byBase.get(base);
		if (holder === node) return true;
		if (holder && isActive(holder)) return false;
		if (holder) {
			node.known = holder.known;
			for (const [accountId, client] of holder.clients) node.clients.set(accountId, client);
		}
		this.byBase.set(base, node);
		return true;
	}

	/** Forgets a node whose webhooks have been removed. */
	forget(node: TriggerNode): void {
		const base = baseIn(node.base);
		if (this.byBase.get(base) === node) this.byBase.delete(base);
		if (this.inProduction.get(node.key) === node) this.inProduction.delete(node.key);
		if (this.testRuns.get(node.key) === node) this.testRuns.delete(node.key);
	}

	/**
	 * Notes that n8n has called the `trigger()` of a node, which it does at the same time as `create`.
	 * @returns a function to call when n8n ends it
	 */
	untilEnded(ctx: NodeInWorkflow): () => void {
		const key = nodeKey(ctx);
		const trigger = {};
		this.triggers.set(key, trigger);
		this.setStopped(key, false);
		return () => {
			if (this.triggers.get(key) !== trigger) return;
			this.triggers.delete(key);
			this.setStopped(key, true);
		};
	}

	private setStopped(key: string, isStopped: boolean): void {
		const node = this.inProduction.get(key);
		if (!node) return;
		node.isStopped = isStopped;
		if (isStopped) this.cancel(node.base);
	}

	/**
	 * Runs the changes at a base one at a time: n8n calls `create`, `delete` and the cron job independently of each other.
	 * @param change gets a signal that {@link cancel} aborts
	 */
	async exclusively<T>(base: WebhookBase, change: (signal: AbortSignal) => Promise<T>): Promise<T> {
		const lock = baseIn(base);
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

	/** Cancels the change that is under way: a service that does not respond must not hold up what n8n wants now. */
	cancel(base: WebhookBase): void {
		this.changes.get(baseIn(base))?.abort();
	}

	isChanging(base: WebhookBase): boolean {
		return this.mutex.isBusy(baseIn(base));
	}

	/**
	 * Finds the owner of a webhook: the active trigger that has its base.
	 * @returns a function that is fast for many webhooks. It returns the names of workflow and node, or undefined for a
	 *   webhook of no active trigger of this process.
	 */
	owners(): (webhook: { targetUrl: string }) => string | undefined {
		const nodes = new Map([...this.byBase].filter(([, node]) => isActive(node)));
		return ({ targetUrl }) => (nodes.size === 0 ? undefined : nodes.get(baseIn(targetUrl))?.title);
	}

	/** The number of entries of each kind. */
	stats() {
		return {
			triggerNodes: this.inProduction.size + this.testRuns.size,
			bases: this.byBase.size,
			triggers: this.triggers.size,
			changes: this.changes.size,
		};
	}
}
