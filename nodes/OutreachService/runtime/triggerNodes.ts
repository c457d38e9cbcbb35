/** The trigger nodes of a process, each at its base: what it knows of them, and a lock for the changes of their webhooks. */
import type { Client } from '../api/client';
import { baseIn, type WebhookBase } from '../domain/triggerUrl';
import type { Selection } from '../parameters/selection';
import type { Moment } from '../utils/moment';
import type { Mutex } from '../utils/mutex';
import type { Outcome } from '../utils/settle';
import { KnownWebhooks } from './knownWebhooks';

/** The part of n8n's contexts that tells which node of which workflow is meant. */
export type NodeInWorkflow = {
	getWorkflow(): { id?: string | undefined; name?: string | undefined };
	getNode(): { id: string; name?: string };
};

/** Identifies a node among all workflows of an n8n. */
export const nodeKey = (ctx: NodeInWorkflow): string =>
	`${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;

/** Identifies the test runs of a node, which may have another credential than its published version. @param key see {@link nodeKey} */
export const testRunOf = (key: string): string => `${key} in a test run`;

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
	/** The service does not list webhooks that it has confirmed. */
	incompleteList?: Incident | undefined;
	/** Lost events of which the user has not been told yet. */
	lost: readonly string[];
};

type PhaseBefore = 'unknown' | 'activating' | 'active' | 'stopped';

/**
 * What n8n does with a node:
 *
 * - `unknown`: nothing that this process has been told.
 * - `activating`: a person activates it or begins a test run, and its webhooks are being registered, or could not be.
 * - `active`: it runs.
 * - `stopped`: n8n has ended its `trigger()`, because it shuts down or another main process leads.
 * - `ending`: n8n has called `delete`, in the phase `after`.
 */
type Phase =
	| { name: PhaseBefore }
	/** `client` has the credential that the node had then. */
	| { name: 'ending'; after: PhaseBefore; client: Client };

/** What this process knows of a trigger node at one of its bases: in production, or in a test run. */
export type TriggerNode = {
	/** See {@link nodeKey} and {@link testRunOf}. */
	readonly key: string;
	readonly isTest: boolean;
	/** The names of workflow and node. */
	readonly title: string;
	readonly base: WebhookBase;
	readonly phase: Phase;
	/** What the parameters select; or why they cannot be used. */
	selection: Outcome<Selection>;
	/** Whether this process has read a list of the webhooks. */
	hasSeenList: boolean;
	/** What is known of the webhooks at the base. */
	known: KnownWebhooks;
	/** The credentials with which there may be webhooks at the base, by account. The last one is that of the latest change. */
	clients: Map<string, Client>;
	/** Whether a webhook was removed for a refused create, and the create was refused all the same. */
	hasMadeRoomInVain: boolean;
	/** When a delivery with a wrong secret last put a webhook in doubt. */
	doubtedAt?: Moment | undefined;
	health: Health;
};

/** Whether n8n runs the node, or did so until it called `delete`. */
export const wasActive = ({ phase }: TriggerNode): boolean =>
	['active', 'stopped'].includes(phase.name === 'ending' ? phase.after : phase.name);

export class TriggerNodes {
	private readonly byKey = new Map<string, TriggerNode>();

	/** The node that has each base. A node that is pasted into another workflow has the same base, and only one of both owns it. */
	private readonly byBase = new Map<string, TriggerNode>();

	/** The latest `trigger()` of each node. n8n may end an earlier one after it has begun, which must not end the node. */
	private readonly triggers = new Map<string, object>();

	/** Cancels the change that is under way, by base. */
	private readonly changes = new Map<string, AbortController>();

	constructor(private readonly mutex: Mutex) {}

	/** The node in production, while n8n runs it in this process. Called in a test run, it returns the active node, too. */
	active(ctx: NodeInWorkflow): TriggerNode | undefined {
		const node = this.byKey.get(nodeKey(ctx));
		return node?.phase.name === 'active' ? node : undefined;
	}

	/**
	 * What this process knows of a node at a base, or a new record if it knows nothing.
	 * @param isTest undefined if only the base tells
	 */
	find(ctx: NodeInWorkflow, base: WebhookBase, isTest?: boolean): TriggerNode {
		const inProduction = this.byKey.get(nodeKey(ctx));
		const testRun = this.byKey.get(testRunOf(nodeKey(ctx)));
		const found = [inProduction, testRun].find(
			(node) =>
				node &&
				baseIn(node.base) === baseIn(base) &&
				(isTest === undefined || node.isTest === isTest),
		);
		return found ?? newNode(ctx, base, isTest === true);
	}

	/**
	 * Notes that n8n has called `create`, and cancels what is under way at the base, unless another node has it. What is known of the
	 * webhooks there stays known.
	 */
	begin(node: TriggerNode, phase: 'activating' | 'active'): void {
		const other = this.claim(node, { isActivation: phase === 'activating' });
		this.byKey.set(node.key, node);
		setPhase(node, { name: phase });
		if (!other) this.cancel(node.base);
	}

	/** Notes that all webhooks of an activation or a test run are registered. @returns whether n8n has not ended it meanwhile */
	activated(node: TriggerNode): boolean {
		if (node.phase.name === 'ending') return false;
		setPhase(node, { name: 'active' });
		return true;
	}

	/**
	 * Notes that n8n has called `delete`, and cancels what is under way at the base.
	 * @param client has the credential of the node
	 * @returns whether the node has its base. If not, there is nothing to remove, and it is forgotten.
	 */
	end(node: TriggerNode, client: Client): boolean {
		if (this.claim(node)) {
			this.forget(node);
			return false;
		}
		if (!this.byKey.has(node.key)) this.byKey.set(node.key, node);
		const { phase } = node;
		const after = phase.name === 'ending' ? phase.after : phase.name;
		setPhase(node, { name: 'ending', after, client });
		this.cancel(node.base);
		return true;
	}

	/** Whether a node has its base. */
	holds(node: TriggerNode): boolean {
		return this.byBase.get(baseIn(node.base)) === node;
	}

	/** Whether a URL is the base of a node of this process. */
	isBase(url: string): boolean {
		return this.byBase.has(url);
	}

	/**
	 * Gives a node its base, unless another one has it. That keeps it until its webhooks are removed, but not if a person activates
	 * this one.
	 * @returns the other one
	 */
	claim(node: TriggerNode, { isActivation = false } = {}): TriggerNode | undefined {
		const base = baseIn(node.base);
		const holder = this.byBase.get(base);
		if (holder === node) return undefined;
		if (holder) {
			const { name } = holder.phase;
			if (name !== 'stopped' && !(isActivation && name === 'ending')) return holder;
			this.forget(holder);
			node.known = holder.known;
			node.clients = holder.clients;
		}
		this.byBase.set(base, node);
		return undefined;
	}

	/** Forgets a node that has no webhooks any more. */
	forget(node: TriggerNode): void {
		if (this.holds(node)) this.byBase.delete(baseIn(node.base));
		if (this.byKey.get(node.key) === node) this.byKey.delete(node.key);
	}

	/**
	 * Notes that n8n has called the `trigger()` of a node, which it does at the same time as `create`.
	 * @returns a function to call when n8n ends it
	 */
	untilEnded(ctx: NodeInWorkflow): () => void {
		const key = nodeKey(ctx);
		const trigger = {};
		this.triggers.set(key, trigger);
		const stopped = this.byKey.get(key);
		if (stopped?.phase.name === 'stopped') setPhase(stopped, { name: 'active' });
		return () => {
			if (this.triggers.get(key) !== trigger) return;
			this.triggers.delete(key);
			const node = this.active(ctx);
			if (!node) return;
			setPhase(node, { name: 'stopped' });
			this.cancel(node.base);
		};
	}

	/**
	 * Runs the changes at a base one at a time: n8n calls `create`, `delete` and the cron job independently of each other.
	 * @param change gets a signal that {@link begin} and {@link end} abort
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
	private cancel(base: WebhookBase): void {
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
		const nodes = new Map([...this.byBase].filter(([, { phase }]) => phase.name === 'active'));
		return ({ targetUrl }) => (nodes.size === 0 ? undefined : nodes.get(baseIn(targetUrl))?.title);
	}

	/** The number of entries of each kind. */
	stats() {
		return {
			triggerNodes: this.byKey.size,
			bases: this.byBase.size,
			triggers: this.triggers.size,
			changes: this.changes.size,
		};
	}
}

function newNode(ctx: NodeInWorkflow, base: WebhookBase, isTest: boolean): TriggerNode {
	const key = nodeKey(ctx);
	return {
		key: isTest ? testRunOf(key) : key,
		isTest,
		title: [ctx.getWorkflow().name, ctx.getNode().name].filter(Boolean).join(' · '),
		base,
		phase: { name: 'unknown' },
		selection: { ok: false, error: new Error('The parameters were not read yet') },
		hasSeenList: false,
		known: new KnownWebhooks(),
		clients: new Map(),
		hasMadeRoomInVain: false,
		health: { lost: [] },
	};
}

/** Nothing else changes a phase, which is read-only everywhere else. */
function setPhase(node: { phase: Phase }, phase: Phase): void {
	node.phase = phase;
}
