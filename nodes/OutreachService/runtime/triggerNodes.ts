/** The trigger nodes of a process: what it knows of each, the state of each, and a lock for the changes of its webhooks. */
import type { Client } from '../api/client';
import { triggerUrlIn, type WebhookBase } from '../domain/triggerUrl';
import type { DesiredWebhook, RegisteredWebhook } from '../domain/registration';
import type { Selection } from '../parameters/selection';
import { normalizeUrl } from '../domain/targetUrl';
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

/** How the checks of a node's webhooks have gone, and what is left to do. */
export type Health = {
	/**
	 * When the webhooks were last complete and the user was told of all lost events, in milliseconds since 1970; undefined if
	 * that was never so in this process. A report of lost events says that they were lost since then.
	 */
	completeAt?: number | undefined;
	/**
	 * Since when nothing is left to do; undefined while a change is under way, or the last one has left something to do for the
	 * next minute's check.
	 */
	idleSince?: Moment | undefined;
	/** How many checks in a row have failed. */
	timesFailed: number;
	/** When the first of them ended, in milliseconds since 1970. */
	failingSince?: number | undefined;
	/** How many checks in a row have found that n8n no longer listens at the node's base. */
	timesListenerLost: number;
	/** How many checks in a row have found hidden webhooks (D82). */
	timesHidden: number;
	/** Lost events of which the user has not been told yet. */
	lost: readonly string[];
};

/** An earlier credential of a node, and the webhooks that the node had until it got another one. */
export type EarlierCredential = {
	/** It has that credential. */
	client: Client;
	webhooks: readonly RegisteredWebhook[];
};

/** All webhooks of earlier credentials. @param credentials undefined if the process does not know the node */
export const webhooksOfEarlierCredentials = (
	credentials: readonly EarlierCredential[] | undefined,
): RegisteredWebhook[] => (credentials ?? []).flatMap(({ webhooks }) => [...webhooks]);

/** All webhooks of a node: those of its credential, and those of earlier ones. */
export const allWebhooksOf = ({
	webhooks,
	earlierCredentials,
}: Pick<TriggerNode, 'webhooks' | 'earlierCredentials'>): RegisteredWebhook[] => [
	...webhooks,
	...webhooksOfEarlierCredentials(earlierCredentials),
];

/**
 * What this process knows of a trigger node whose workflow is or was active here. While the node is live, the deliveries of its
 * webhooks are accepted, also of those that are to be removed or replaced.
 */
export type TriggerNode = {
	webhooks: readonly RegisteredWebhook[];
	/** Empty if n8n gave the node no URL at a start, and nothing was registered. */
	base: WebhookBase;
	/** The selection at the activation, publication or start; or why the parameters cannot be used. */
	selection: Outcome<Selection>;
	/**
	 * The desired webhooks, whose deliveries are accepted before they are known to exist: a webhook may deliver before the
	 * response to its create arrives (D81). Two values mean that they are not known yet:
	 *
	 * - `notRead`: the credential has not been read. A delivery is verified with the secret that the credential gives now (D67).
	 * - empty: the node has another credential than before, and no change has read it yet. Only the secrets of webhooks that
	 *   are registered, or that were just removed (`RemovedWebhooks`), are accepted.
	 */
	desired: readonly DesiredWebhook[] | 'notRead';
	/** The webhooks of earlier credentials, which stay until all desired ones exist. Their deliveries are accepted, too. */
	earlierCredentials: readonly EarlierCredential[];
	/** Whether it was activated, or started as an active one: then a `delete` followed by a `create` may be a publication (D79). */
	wasActivated: boolean;
	health: Health;
};

/** What is known of a node before its parameters and its credential are read. */
export const NEW_NODE = {
	desired: 'notRead',
	earlierCredentials: [],
	wasActivated: false,
	health: { timesFailed: 0, timesListenerLost: 0, timesHidden: 0, lost: [] },
} as const satisfies Partial<TriggerNode>;

/** The desired webhooks of a node, as far as they are known. @param node undefined if the process does not know it */
export const knownDesired = (
	node: Pick<TriggerNode, 'desired'> | undefined,
): readonly DesiredWebhook[] =>
	node === undefined || node.desired === 'notRead' ? [] : node.desired;

/**
 * The state of a node:
 *
 * - `starting`: n8n has started it, and has not called its `trigger()` yet. n8n 1 calls `create` at the start of each main
 *   process, and `trigger()` only in the one that leads: another process may run the node, and nobody would tell this one of
 *   changes.
 * - `live`: this process runs it.
 * - `ended`: this process no longer runs it, because n8n has ended its `trigger()`. n8n shuts down, deactivates
 *   the workflow, or another main process takes the lead from this one.
 * - `leaving`: n8n has just called `delete`. It may call `create` again, and then most webhooks are still needed.
 * - `removing`: n8n has not called `create` since, so the removal of the webhooks has begun. Perhaps some could not be removed.
 */
export type NodeState = 'starting' | 'live' | 'ended' | 'leaving' | 'removing';

/** Whether a node in this state is active in this process, or starting. @param state undefined if the process does not know it */
export const isActive = (state: NodeState | undefined): boolean =>
	state === 'live' || state === 'starting';

/** A node for which n8n has called `create`, and no `delete` since. */
type CreatedEntry = {
	state: 'starting' | 'live' | 'ended';
	node: TriggerNode;
	/** The names of the workflow and the node. */
	title: string;
};

/** A node for which n8n has called `delete`, and no `create` since. */
type DeletedEntry = {
	state: 'leaving' | 'removing';
	/** It has the credential that the node had until then, or a later one if that could not be read. */
	client: Client;
	/** Undefined if this process did not know the node when n8n called `delete`. */
	node: TriggerNode | undefined;
};

type Entry = CreatedEntry | DeletedEntry;

const isActiveEntry = (entry: Entry): entry is CreatedEntry => isActive(entry.state);

/** The fields of a webhook that tell whose it is. */
type WebhookAtUrl = { _id: string; targetUrl: string };

/** Identifies the webhooks of a node at one of its bases: a node has one in production and another one for test runs. */
export const registrationKey = (ctx: NodeInWorkflow, base: WebhookBase): string =>
	`registration/${nodeKey(ctx)}\n${base}`;

/** The trigger nodes of a process, and the changes of their webhooks that are under way: one lock for each base. */
export class TriggerNodes {
	private readonly entries = new Map<string, Entry>();

	/** Cancels the change that holds a lock, by the lock. */
	private readonly changes = new Map<string, AbortController>();

	/** The latest `trigger()` of each node. n8n may end an earlier one after it has begun, which must not end the node. */
	private readonly triggers = new Map<string, object>();

	constructor(private readonly mutex: Mutex) {}

	/** The number of entries of each kind. */
	stats() {
		return {
			triggerNodes: this.entries.size,
			changes: this.changes.size,
			triggers: this.triggers.size,
		};
	}

	/** The node while it is active in this process, or starting. Called in a test run, it returns the active node, too. */
	active(ctx: NodeInWorkflow): TriggerNode | undefined {
		const entry = this.entries.get(nodeKey(ctx));
		return entry && isActiveEntry(entry) ? entry.node : undefined;
	}

	/** The node while this process is the one that runs it. */
	live(ctx: NodeInWorkflow): TriggerNode | undefined {
		return this.stateOf(ctx) === 'live' ? this.known(ctx) : undefined;
	}

	/** What is known of the node, also while it is no longer active. */
	known(ctx: NodeInWorkflow): TriggerNode | undefined {
		return this.entries.get(nodeKey(ctx))?.node;
	}

	/** Whether n8n has ended the node here: another main process may run it. */
	hasEnded(ctx: NodeInWorkflow): boolean {
		return this.stateOf(ctx) === 'ended';
	}

	/** The state of the node; undefined if this process does not know it. */
	stateOf(ctx: NodeInWorkflow): NodeState | undefined {
		return this.entries.get(nodeKey(ctx))?.state;
	}

	/** Whether n8n has called `delete`, and no `create` since, as far as this process knows. */
	isDeleted(ctx: NodeInWorkflow): boolean {
		return this.clientAtDelete(ctx) !== undefined;
	}

	/**
	 * A client with the credential that the node had until n8n called `delete`, or with a later one if that could not be read;
	 * undefined if n8n has called `create` since.
	 */
	clientAtDelete(ctx: NodeInWorkflow): Client | undefined {
		const entry = this.entries.get(nodeKey(ctx));
		return entry && 'client' in entry ? entry.client : undefined;
	}

	/**
	 * Notes that a person has activated the node, or published a change of it. Cancels the change that is under way, if any: if
	 * n8n has taken long to call `create`, the removal has begun, perhaps at an earlier base.
	 */
	goLive(ctx: NodeInWorkflow, node: TriggerNode): void {
		this.add(ctx, node, 'live');
	}

	/** Notes that n8n has started the node. Cancels the change that is under way, as {@link goLive} does. */
	start(ctx: NodeInWorkflow, node: TriggerNode): void {
		this.add(ctx, node, this.triggers.has(nodeKey(ctx)) ? 'live' : 'starting');
	}

	private add(ctx: NodeInWorkflow, node: TriggerNode, state: 'live' | 'starting'): void {
		this.cancel(ctx, this.known(ctx)?.base || node.base);
		const title = [ctx.getWorkflow().name, ctx.getNode().name].filter(Boolean).join(' · ');
		this.entries.set(nodeKey(ctx), { state, node, title });
	}

	/** Changes what is known of the node, whether it is still active or not. Does nothing if the process does not know the node. */
	update(ctx: NodeInWorkflow, change: Partial<TriggerNode>): void {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.node) entry.node = { ...entry.node, ...change };
	}

	/**
	 * Notes that the node is no longer active, because n8n has called `delete`. What is known of it is kept until its webhooks
	 * are removed, because n8n may call `create` again.
	 * @param client has the credential of the node
	 * @returns a function that tells whether the removal is still to be done: n8n has called neither `create` nor `delete` since
	 */
	leave(ctx: NodeInWorkflow, client: Client): () => boolean {
		const key = nodeKey(ctx);
		const entry: DeletedEntry = { state: 'leaving', client, node: this.known(ctx) };
		this.entries.set(key, entry);
		return () => this.entries.get(key) === entry;
	}

	/** Notes that the removal of a leaving node's webhooks has begun. */
	beginRemoval(ctx: NodeInWorkflow): void {
		const entry = this.entries.get(nodeKey(ctx));
		if (entry?.state === 'leaving') entry.state = 'removing';
	}

	/** Forgets a node whose webhooks have been removed. */
	forget(ctx: NodeInWorkflow): void {
		this.entries.delete(nodeKey(ctx));
	}

	/**
	 * Notes that n8n has called the `trigger()` of a node, which it does at the same time as `create`.
	 * @returns a function to call when n8n ends it, after which the node is no longer active
	 */
	untilEnded(ctx: NodeInWorkflow): () => void {
		const key = nodeKey(ctx);
		const trigger = {};
		this.triggers.set(key, trigger);
		const started = this.entries.get(key);
		if (started?.state === 'starting') started.state = 'live';
		return () => {
			if (this.triggers.get(key) !== trigger) return;
			this.triggers.delete(key);
			const entry = this.entries.get(key);
			if (entry?.state !== 'live') return;
			entry.state = 'ended';
			this.cancel(ctx, entry.node.base);
		};
	}

	/**
	 * Runs the changes of a node's webhooks one at a time. n8n calls `create`, `delete` and the cron job of `trigger()`
	 * independently of each other, and a check must not restore webhooks that are just being removed. A test run has a lock of
	 * its own: it need not wait for a check of the active node, to which the service may not respond.
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

	/** Cancels the change that is under way: a service that does not respond must not hold up a deactivation. */
	cancel(ctx: NodeInWorkflow, base: WebhookBase): void {
		this.changes.get(registrationKey(ctx, base))?.abort();
	}

	/** Whether a node's webhooks are being changed. */
	isChanging(ctx: NodeInWorkflow, base: WebhookBase): boolean {
		return this.mutex.isBusy(registrationKey(ctx, base));
	}

	/** The entries of the nodes that are active in this process, or starting, with their keys. */
	private get allActive(): Array<[key: string, entry: CreatedEntry]> {
		const all: Array<[key: string, entry: CreatedEntry]> = [];
		for (const [key, entry] of this.entries) {
			if (isActiveEntry(entry)) all.push([key, entry]);
		}
		return all;
	}

	/** The webhooks that other active nodes of this process have registered, whatever their target URLs are. */
	webhooksOfOthers(ctx: NodeInWorkflow): RegisteredWebhook[] {
		const own = nodeKey(ctx);
		const others = this.allActive.filter(([key]) => key !== own);
		return others.flatMap(([, { node }]) => [...node.webhooks]);
	}

	/** Whether another active node of this process has a base: n8n 1 may give a node another ID, but not another path. */
	isBaseOfOther(ctx: NodeInWorkflow, base: WebhookBase): boolean {
		const own = nodeKey(ctx);
		return this.allActive.some(([key, { node }]) => key !== own && node.base === base);
	}

	/**
	 * Finds the owner of a webhook: the active trigger that has registered it, or that has its target URL.
	 * @returns a function that is fast for many webhooks. It returns the names of workflow and node, or undefined for a
	 *   webhook of no active trigger of this process.
	 */
	owners(): (webhook: WebhookAtUrl) => string | undefined {
		const byId = new Map<string, string>();
		const byBase = new Map<string, string>();
		for (const [, { node, title }] of this.allActive) {
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
}
