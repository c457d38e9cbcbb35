/**
 * What n8n calls: `create` when it activates a workflow, starts, publishes a change or begins a test run, and `delete` when
 * any of these ends. n8n does not say which of them it means, so this file finds out, and calls the function that does it.
 */
import type { IHookFunctions } from 'n8n-workflow';

import { withNodeErrors } from '../api/errors';
import { isLeaving } from '../domain/registration';
import { isTestBaseOf, isTestUrl, webhookBase, type WebhookBase } from '../domain/triggerUrl';
import { withRuntime, type Runtime } from '../runtime/runtime';
import { activate } from './registration/activation';
import { deactivate } from './registration/deactivation';
import { isStartMode, readNodeBefore, type NodeBefore } from './registration/nodeBefore';
import { publish } from './registration/publication';
import { start } from './registration/start';
import { beginTestRun, endTestRun } from './testRun/testRun';

/** The methods with which n8n has the trigger's webhooks registered and removed. */
export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	// n8n calls `create` only if this returns false: always, because `create` itself finds out what to do.
	checkExists: async () => false,
	create: withRuntime(node, create),
	delete: withRuntime(node, remove),
});

/**
 * n8n's `create`: makes the service have exactly the desired webhooks (§4.2, §4.3).
 *
 * - A test run has webhooks of its own, at n8n's test URL.
 * - A start of n8n is the node's first check, and never fails (D65): n8n gives up on a workflow whose start fails, and
 *   would first have webhooks removed that still work.
 * - The publication of a change of an active workflow is the first check of the changed node. It fails only if a person
 *   must correct something (D79).
 * - An activation creates all desired webhooks or fails. After a failure, n8n calls `delete`. But it succeeds if it
 *   only waits for a create that an earlier attempt has sent (D81).
 * @throws NodeOperationError for a selection that cannot work, a base at which n8n does not route, an n8n that the service cannot
 *   reach (D33), or a cancelled activation; NodeApiError when an activation or a test run cannot list or create the webhooks
 */
async function create(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const before = readNodeBefore(ctx, runtime);
	const register = whatIsMeant(ctx, before);
	await withNodeErrors(ctx.getNode(), register(ctx, runtime, before));
	return true;
}

/** Registers the webhooks of a node, in one of the cases in which n8n calls `create`. */
type Register = (ctx: IHookFunctions, runtime: Runtime, before: NodeBefore) => Promise<void>;

/** Finds out what n8n means by a call of `create`: the first rule that applies. */
function whatIsMeant(ctx: IHookFunctions, before: NodeBefore): Register {
	if (ctx.getMode() === 'manual') return beginTestRun;
	if (isStartMode(ctx)) return start;
	const { node, isActive, isDeleted, stored } = before;
	// Every other mode says that the workflow was not active when it was activated.
	const isUpdate = ctx.getActivationMode() === 'update';
	// n8n has called `delete`, and no `create` since: in this process, or in another or an earlier one, which has stored it. What is
	// stored counts whatever this process knows, because n8n calls `delete` in one main process only.
	if (isDeleted || stored.webhooks.some(isLeaving)) {
		// If the node was active until then, a change of it is published (D79).
		return isUpdate && wasActive(before) ? publish : activate;
	}

	// If one trigger of a workflow fails, n8n 1 ends them all, and starts them again a moment later, in the mode in which they
	// were activated.
	if (node?.wasActivated) return start;
	// n8n 2 also calls it an update when it activates a trigger that should run and does not.
	if (isUpdate && stored.webhooks.length > 0 && !isActive) return start;
	// A person activates a workflow that was not active.
	return activate;
}

/** Whether a node was active when n8n called `delete`, as this process knows it or n8n has stored it. */
function wasActive({ node, isDeleted }: NodeBefore): boolean {
	if (isDeleted) return node?.wasActivated === true;
	// It is stored that the node was leaving. After a failed activation, nothing is stored, so the node was active. But if this
	// process knows the node, another main process has called `delete`, and what this one knows of it is out of date.
	return node === undefined;
}

/**
 * n8n's `delete`: the webhooks are removed in the background, unless n8n calls `create` again (D103). Never throws: n8n
 * would go on listening at the base.
 * @returns true, which means nothing to n8n
 */
async function remove(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const nodeUrl = ctx.getNodeWebhookUrl('default');
	const url = nodeUrl === undefined ? undefined : webhookBase(nodeUrl);
	if (url !== undefined && endsTestRun(ctx, runtime, url)) {
		await endTestRun(ctx, runtime, url);
	} else {
		await deactivate(ctx, runtime, url);
	}
	return true;
}

/**
 * Whether `delete` means the end of a test run, which has the mode of a deactivation, so that only the URL tells. A test URL
 * may have any path (`N8N_ENDPOINT_WEBHOOK_TEST`).
 */
function endsTestRun(ctx: IHookFunctions, runtime: Runtime, url: WebhookBase): boolean {
	if (runtime.testRuns.isBaseOf(ctx, url) || isTestUrl(url)) return true;
	// Another main process may have begun the test run.
	const { base } = runtime.triggerNodes.known(ctx) ?? {};
	return base !== undefined && isTestBaseOf(base, ctx.getInstanceBaseUrl(), url);
}
