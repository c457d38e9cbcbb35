import type { Runtime } from './runtime';

/**
 * A method of a node. n8n calls it with its context as `this`, so the node itself and its runtime are out of reach in
 * there: this hands both to a function.
 * @param run returns that function. Asked for at the first call, because the build loads a module when something of it is
 *   first used, and n8n creates the nodes when it starts.
 */
export const boundTo = <Context, Args extends unknown[], R>(
	node: { readonly runtime: Runtime },
	run: () => (ctx: Context, runtime: Runtime, ...args: Args) => R,
) =>
	function (this: Context, ...args: Args): R {
		return run()(this, node.runtime, ...args);
	};
