import type { DesiredWebhook, RegisteredWebhook } from '../model/registration';
import { isSameUrl } from '../model/targetUrl';
import { oneAtATime } from '../utils/oneAtATime';

/** What this process knows of a trigger node whose workflow is active here. */
export type ActiveNode = {
	/** The node's webhook URL, without the event. */
	base: string;
	desired: readonly DesiredWebhook[];
	/** The webhooks in force. */
	hooks: RegisteredWebhook[];
	/** Registered earlier, no longer desired, and not removed yet because the service refused to. */
	leftovers: RegisteredWebhook[];
	/** IDs of the webhooks that a repair or a rotation made: n8n does not save static data that these change. */
	unsaved: ReadonlySet<string>;
	/** Whether the last change left something to do: the next minute's check tries again. */
	incomplete: boolean;
};

/** How long a node is remembered after n8n has ended its `trigger()`, in ms: `delete` may still need what it knows. */
const CLOSED_MS = 60_000;

type Entry = { node: ActiveNode; closedAt?: number };

type NodeInWorkflow = { getWorkflow(): { id?: string | undefined }; getNode(): { id: string } };

const nodes = new Map<string, Entry>();

/** The latest `trigger()` of each node: an earlier one that ends afterwards must not take its place away. */
const watchers = new Map<string, object>();

/** Identifies a node among all workflows of an n8n. */
export const nodeKey = (ctx: NodeInWorkflow): string =>
	`${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;

/** Known from the registration of a production webhook until it is unregistered; never for a test run. */
export const activeNode = (ctx: NodeInWorkflow): ActiveNode | undefined =>
	nodes.get(nodeKey(ctx))?.node;

export function setActive(ctx: NodeInWorkflow, node: ActiveNode | undefined): void {
	forgetClosed();
	if (node) nodes.set(nodeKey(ctx), { node });
	else nodes.delete(nodeKey(ctx));
}

/**
 * Notes that n8n runs this node's `trigger()` here.
 * @returns to be called when n8n ends it. The node's workflow is then deactivated, which unregisters the node, or
 *   another main process has taken the lead: then this one has to forget the node by itself.
 */
export function watching(ctx: NodeInWorkflow): () => void {
	const key = nodeKey(ctx);
	const watcher = {};
	watchers.set(key, watcher);
	return () => {
		if (watchers.get(key) !== watcher) return;
		watchers.delete(key);
		const entry = nodes.get(key);
		if (entry) nodes.set(key, { ...entry, closedAt: performance.now() });
		forgetClosed();
	};
}

function forgetClosed(): void {
	const now = performance.now();
	for (const [key, { closedAt }] of nodes) {
		if (closedAt !== undefined && now - closedAt > CLOSED_MS) nodes.delete(key);
	}
}

/** The nodes that are active here. */
const open = (): Array<[key: string, node: ActiveNode]> =>
	[...nodes].flatMap(([key, { node, closedAt }]) => (closedAt === undefined ? [[key, node]] : []));

/** IDs of the webhooks that other active nodes of this process registered: these are theirs, whatever URL they have. */
export function hooksOfOthers(ctx: NodeInWorkflow): ReadonlySet<string> {
	const own = nodeKey(ctx);
	return new Set(
		open().flatMap(([key, { hooks }]) => (key === own ? [] : hooks.map(({ id }) => id))),
	);
}

/** Whether any trigger is active in this process: in a worker of queue mode none ever is. */
export const knowsActiveNodes = (): boolean => open().length > 0;

type WebhookAtUrl = { _id: string; targetUrl: string };

const uses = ({ desired, hooks }: ActiveNode, hook: WebhookAtUrl): boolean =>
	hooks.some(({ id }) => id === hook._id) ||
	desired.some(({ targetUrl }) => isSameUrl(targetUrl, hook.targetUrl));

/** The active trigger that uses a webhook: it registered it, or the webhook has one of its URLs. */
export function activeNodeUsing(hook: WebhookAtUrl): ActiveNode | undefined {
	return open().find(([, node]) => uses(node, hook))?.[1];
}

/**
 * Runs a change of a webhook that an active trigger may use: one after the other with the trigger's own changes, as
 * {@link exclusively} does, because a repair would remove a webhook that the trigger does not know yet.
 * @param change gets the trigger as it is when its turn has come; undefined when none uses the webhook
 */
export async function exclusivelyForUser<T>(
	hook: WebhookAtUrl,
	change: (user: ActiveNode | undefined) => Promise<T>,
): Promise<T> {
	const [key] = open().find(([, node]) => uses(node, hook)) ?? [];
	if (key === undefined) return await change(undefined);
	return await oneAtATime(`registration/${key}`, async () => await change(activeNodeUsing(hook)));
}

/**
 * Has an active trigger accept a webhook's successor, which somebody created with a secret of their own. The trigger
 * keeps it until n8n restarts; then it registers one with its own secret.
 */
export function acceptSuccessor(
	node: ActiveNode,
	oldId: string,
	successor: RegisteredWebhook,
): void {
	node.hooks = [
		...node.hooks.filter(({ id }) => id !== oldId),
		{ ...successor, secretSetByUser: true },
	];
	node.unsaved = new Set([...node.unsaved, successor.id]);
}

/** The repair that runs for each node, or waits to. */
const repairs = new Map<string, AbortController>();

/**
 * Notes the beginning of a repair.
 * @returns its signal and what to call at its end; undefined while an earlier repair of the node is under way
 */
export function beginRepair(
	ctx: NodeInWorkflow,
): { signal: AbortSignal; end: () => void } | undefined {
	const key = nodeKey(ctx);
	if (repairs.has(key)) return undefined;
	const controller = new AbortController();
	repairs.set(key, controller);
	return { signal: controller.signal, end: () => repairs.delete(key) };
}

/** Has a repair stop before its next request: a service that hangs must not hold up a deactivation. */
export function cancelRepair(ctx: NodeInWorkflow): void {
	repairs.get(nodeKey(ctx))?.abort(new Error('The workflow was deactivated'));
}

/**
 * Runs one change of a node's webhooks after the other. n8n calls `create`, `delete` and the clock of `trigger()`
 * independently of each other, and a repair must not bring back what is just being removed.
 */
export async function exclusively<T>(ctx: NodeInWorkflow, change: () => Promise<T>): Promise<T> {
	return await oneAtATime(`registration/${nodeKey(ctx)}`, change);
}
