/**
 * What n8n calls: `create` when it activates a workflow, starts, publishes a change or begins a test run, and `delete` when
 * any of these ends. n8n does not say which of them it means, so this finds out, and calls what does it.
 */
import type { IHookFunctions } from 'n8n-workflow';

import { withNodeErrors } from '../api/errors';
import { isTestUrl, webhookBase } from '../domain/triggerUrl';
import { withRuntime, type Runtime } from '../runtime/runtime';
import { activate } from './registration/activation';
import { deactivate } from './registration/deactivation';
import { isStartMode, storedRegistration } from './registration/earlier';
import { publish } from './registration/publication';
import { start } from './registration/start';
import { beginTestRun, endTestRun } from './testRun/testRun';

export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	// `create` finds out what is to be done, so n8n always calls it.
	checkExists: async () => false,
	create: withRuntime(node, create),
	delete: withRuntime(node, remove),
});

/**
 * n8n's `create`: makes the service have exactly the desired webhooks (§4.2, §4.3).
 *
 * - A test run has webhooks of its own, at n8n's test URL.
 * - A start of n8n never fails (D65): it is the node's first check. n8n gives up on a workflow whose start fails, and would
 *   first have the webhooks removed that work.
 * - So is the publication of a change of an active workflow, unless a person must correct it (D79).
 * - A first activation succeeds completely or not at all, unless it only waits for a create that an earlier attempt has
 *   sent. After a failure, n8n calls `delete`.
 * @throws NodeOperationError for a selection that cannot work, a webhook URL at which n8n does not route, or an n8n that the
 *   service cannot reach (D33); NodeApiError when an activation cannot list or create the webhooks
 */
async function create(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const node = ctx.getNode();
	if (ctx.getMode() === 'manual') {
		await withNodeErrors(node, beginTestRun(ctx, runtime));
	} else if (isStart(ctx, runtime)) {
		await start(ctx, runtime);
	} else if (isPublication(ctx, runtime)) {
		await withNodeErrors(node, publish(ctx, runtime));
	} else {
		await withNodeErrors(node, activate(ctx, runtime));
	}
	return true;
}

/**
 * n8n's `delete`: the webhooks are removed in the background, unless n8n calls `create` again (D103).
 * @returns true, which means nothing to n8n; it never throws, because n8n would keep the route of the webhook
 */
async function remove(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const given = ctx.getNodeWebhookUrl('default');
	const url = given === undefined ? undefined : webhookBase(given);
	// In the mode of a deactivation: only the URL tells, which may have any path (`N8N_ENDPOINT_WEBHOOK_TEST`).
	if (url !== undefined && (runtime.activeNodes.testRun(ctx)?.base === url || isTestUrl(url))) {
		await endTestRun(ctx, runtime, url);
	} else {
		await deactivate(ctx, runtime, url);
	}
	return true;
}

/**
 * Whether n8n activates a workflow that was active before. n8n 2 does so in the mode of a user's change when it finds a
 * trigger that should run and does not: then something is registered, and this process does not know of it.
 */
function isStart(ctx: IHookFunctions, runtime: Runtime): boolean {
	if (isStartMode(ctx)) return true;
	const state = runtime.activeNodes.entryOf(ctx)?.state ?? 'closed';
	const { webhooks, isLeaving } = storedRegistration(ctx);
	const isChange = ctx.getActivationMode() === 'update';
	return isChange && state === 'closed' && webhooks.length > 0 && !isLeaving;
}

/**
 * Whether n8n publishes a change of an active workflow: it calls `delete`, then `create` (D79). It does not say so, but it
 * activates a workflow that was not active in another mode.
 */
function isPublication(ctx: IHookFunctions, runtime: Runtime): boolean {
	if (ctx.getActivationMode() !== 'update') return false;
	const entry = runtime.activeNodes.entryOf(ctx);
	if (entry) return entry.state === 'leaving' && entry.node?.hasBeenLive === true;
	// n8n was killed in between, and continues.
	const { webhooks, isLeaving } = storedRegistration(ctx);
	return webhooks.length > 0 && isLeaving;
}
