import { oneAtATime } from '../transport/oneAtATime';
import type { RememberedHook } from './memory';
import type { WantedHook } from './wanted';

/** What this process knows of a node whose workflow is active here. */
export type LiveNode = {
	base: string;
	wanted: readonly WantedHook[];
	hooks: RememberedHook[];
	/** IDs of the webhooks that a repair made: static data changed by a repair is not saved. */
	unsaved: ReadonlySet<string>;
};

type NodeInWorkflow = { getWorkflow(): { id?: string | undefined }; getNode(): { id: string } };

const nodes = new Map<string, LiveNode>();

const keyOf = (ctx: NodeInWorkflow): string => `${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;

/** Known from the successful registration of a production webhook until it is unregistered; never for a test run. */
export function liveNode(ctx: NodeInWorkflow): LiveNode | undefined {
	return nodes.get(keyOf(ctx));
}

export function setLive(ctx: NodeInWorkflow, node: LiveNode | undefined): void {
	if (node) nodes.set(keyOf(ctx), node);
	else nodes.delete(keyOf(ctx));
}

/**
 * Runs one change of a node's webhooks after the other. n8n calls `create`, `delete` and the clock of `trigger()`
 * independently of each other, and a repair must not bring back what is just being removed.
 */
export async function exclusively<T>(ctx: NodeInWorkflow, change: () => Promise<T>): Promise<T> {
	return await oneAtATime(`registration/${keyOf(ctx)}`, change);
}
