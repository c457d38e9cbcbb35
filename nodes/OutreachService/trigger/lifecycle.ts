/**
 * What n8n calls: `create` when it activates a workflow, starts, publishes a change or begins a test run, and `delete` when
 * any of these ends.
 */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../api/client';
import { cancelledError, RequestError, withNodeErrors } from '../api/errors';
import { ITEM } from '../api/policy';
import { webhookBase } from '../domain/triggerUrl';
import { withRuntime, type Runtime } from '../runtime/runtime';
import { wasActive } from '../runtime/triggerNodes';
import { settle, settleSync } from '../utils/settle';
import { readSelection } from './readSelection';
import { readBase } from './registration/base';
import { check, firstCheck } from './registration/checks';
import { removeLater } from './registration/removal';
import { endSampleRun, startSampleRun } from './testRun/sampleRun';

/** The methods with which n8n has the trigger's webhooks registered and removed. */
export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	// n8n calls `create` only if this returns false: always, because `create` itself finds out what to do.
	checkExists: async () => false,
	create: withRuntime(node, create),
	delete: withRuntime(node, remove),
});

/**
 * n8n's `create`: makes the service have exactly the desired webhooks (§4.2, §4.3). It fails only where a person waits (D111):
 *
 * - A start of n8n never fails: n8n would give up on the workflow, and first have webhooks removed that still work.
 * - The publication of a change fails only before a request is sent, such as for a parameter. After a failed request, the checks go
 *   on: n8n has already ended the version before.
 * - An activation and a test run fail if the webhooks cannot be registered. n8n then calls `delete`.
 * @throws NodeOperationError for what a person must correct; NodeApiError when an activation or a test run cannot list or create
 *   the webhooks
 */
async function create(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const isTest = ctx.getMode() === 'manual';
	const isStart = !isTest && ['init', 'leadershipChange'].includes(ctx.getActivationMode());
	const task = isStart ? start(ctx, runtime) : register(ctx, runtime, isTest);
	await withNodeErrors(ctx.getNode(), task);
	return true;
}

/** n8n starts, or this main process has taken the lead from another one: the first check of the node. Never throws. */
async function start(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const base = webhookBase(ctx.getNodeWebhookUrl('default') ?? '');
	const node = runtime.triggerNodes.find(ctx, base, false);
	runtime.triggerNodes.begin(node, 'active');
	node.selection = settleSync(() => {
		readBase(ctx);
		return readSelection(ctx);
	});
	if (ctx.getActivationMode() === 'leadershipChange') {
		// Another main process may have replaced the webhooks that this one remembers.
		node.known.forgetAll();
		node.hasSeenList = false;
	}
	await firstCheck(ctx, runtime, node, 'start');
}

/** A person activates a workflow, publishes a change of it, or begins a test run. @throws as {@link create} */
async function register(ctx: IHookFunctions, runtime: Runtime, isTest: boolean): Promise<void> {
	const { triggerNodes } = runtime;
	const selection = readSelection(ctx);
	const base = readBase(ctx);
	if (isTest && selection.testWith === 'sampleEvent') {
		await startSampleRun(ctx, runtime, selection, base);
		return;
	}
	endSampleRun(ctx, runtime, base);
	const node = triggerNodes.find(ctx, base, isTest);
	// n8n 1 calls `create` without a `delete` if another trigger of the workflow fails; and a change of an active workflow has the mode
	// `update`. In any other case, the workflow was not active.
	const isPublication =
		!isTest &&
		wasActive(node) &&
		(node.phase.name !== 'ending' || ctx.getActivationMode() === 'update');
	triggerNodes.begin(node, isPublication ? 'active' : 'activating');
	node.selection = { ok: true, value: selection };
	node.hasMadeRoomInVain = false;
	if (isPublication) {
		const failure = (await firstCheck(ctx, runtime, node, 'publication'))?.failure;
		// What is wrong with a request may pass by itself. Anything else, such as a URL of n8n that the service cannot reach, does not.
		if (failure && !(failure instanceof RequestError)) throw failure;
		return;
	}
	node.health = { lost: [] };
	const result = await check(ctx, runtime, node, 'activation');
	if (result?.failure) throw withAdvice(result.failure);
	if (!result || !triggerNodes.activated(node)) throw cancelledError();
}

/**
 * Adds to the message of a failure that passes by itself what to do about it: when an activation fails, n8n 2 shows the
 * message alone.
 */
function withAdvice(error: Error): Error {
	if (!(error instanceof RequestError) || !error.passes) return error;
	const toCheck = error.failure === 'unreachable' ? "check the credential's Base URL, or " : '';
	return error.but({ message: `${error.message}: ${toCheck}try again later` });
}

/**
 * n8n's `delete`: everything at the base is removed in the background, unless n8n calls `create` again (D103). Never throws: n8n
 * would go on listening at the base.
 * @returns true, which means nothing to n8n
 */
async function remove(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const { triggerNodes } = runtime;
	const base = webhookBase(ctx.getNodeWebhookUrl('default') ?? '');
	const node = triggerNodes.find(ctx, base);
	// A test run with a sample has no webhooks.
	if (endSampleRun(ctx, runtime, base) && node.phase.name === 'unknown') return true;
	const client = createClient(ctx, runtime, { policy: ITEM });
	// n8n calls `delete`, too, after a node was not activated because another one has its base: that one keeps its webhooks.
	if (!triggerNodes.end(node, client)) return true;
	// The credential is read now, because n8n evaluates its expressions only until `delete` returns.
	const accountId = await settle(client.accountId());
	// Another process may have made webhooks with it.
	if (accountId.ok && node.clients.size === 0) node.clients.set(accountId.value, client);
	void removeLater(ctx, runtime, node);
	return true;
}
