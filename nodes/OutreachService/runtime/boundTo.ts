import type { Runtime } from './runtime';

/**
 * A method of a node. n8n calls it with its context as `this`, so the node itself and its runtime are out of reach in
 * there: this hands both to a function.
 */
export const boundTo = <Context, Args extends unknown[], R>(
	node: { readonly runtime: Runtime },
	run: (ctx: Context, runtime: Runtime, ...args: Args) => R,
) =>
	function (this: Context, ...args: Args): R {
		return run(this, node.runtime, ...args);
	};
