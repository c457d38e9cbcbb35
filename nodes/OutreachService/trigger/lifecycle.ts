/**
 * What n8n calls: `create` when it activates a workflow, starts, publishes a change or begins a test run, and `delete` when
 * any of these ends.
 */
import type { IHookFunctions } from 'n8n-workflow';

import { createClient } from '../api/client';
import { cancelledError, RequestError, withNodeErrors } from '../api/errors';
import { ITEM, USER } from '../api/policy';
import { webhookBase, type WebhookBase } from '../domain/triggerUrl';
import { withRuntime, type Runtime } from '../runtime/runtime';
import { isActive, type TriggerNode } from '../runtime/triggerNodes';
import { now } from '../utils/moment';
import { settle, settleSync } from '../utils/settle';
import { readSelection } from './readSelection';
import { baseTakenError, readBase } from './registration/base';
import { firstCheck } from './registration/checks';
import { healthAtRest, nextHealth } from './registration/health';
import { reconcile } from './registration/reconcile';
import { removeLater } from './registration/removal';
import { startSampleRun } from './testRun/sampleRun';

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
 * - The publication of a change fails only if a person must correct something. By then, n8n has ended the version before.
 * - An activation and a test run fail if the webhooks cannot be registered. n8n then calls `delete`.
 * @throws NodeOperationError for what a person must correct; NodeApiError when an activation or a test run cannot list or create
 *   the webhooks
 */
async function create(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const isStart = ['init', 'leadershipChange'].includes(ctx.getActivationMode());
	const task = isStart && ctx.getMode() !== 'manual' ? start(ctx, runtime) : register(ctx, runtime);
	await withNodeErrors(ctx.getNode(), task);
	return true;
}

/** n8n starts, or this main process has taken the lead from another one: the first check of the node. Never throws. */
async function start(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const url = ctx.getNodeWebhookUrl('default') ?? '';
	const readAll = settleSync(() => {
		readBase(ctx);
		return readSelection(ctx);
	});
	const node = await beginAt(ctx, runtime, webhookBase(url));
	// Another main process may have replaced the webhooks that this one remembers.
	if (ctx.getActivationMode() === 'leadershipChange') {
		for (const [key, { open }] of node.known) if (!open) node.known.delete(key);
	}
	makeActive(node);
	node.isStarting = true;
	node.selection = readAll;
	await firstCheck(ctx, runtime, node, 'start');
}

/** A person activates a workflow, publishes a change of it, or begins a test run. @throws as {@link create} */
async function register(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { triggerNodes } = runtime;
	const isTest = ctx.getMode() === 'manual';
	const selection = readSelection(ctx);
	const base = readBase(ctx);
	const other = triggerNodes.otherAt(ctx, base);
	if (other) throw baseTakenError(ctx, other);
	const before = isTest ? undefined : triggerNodes.at(ctx, base);
	// n8n 1 calls `create` without a `delete` if another trigger of the workflow fails; and a change of an active workflow has the mode
	// `update`. In any other case, the workflow was not active.
	const isPublication =
		before?.isActivated === true &&
		(before.endedWith === undefined || ctx.getActivationMode() === 'update');
	const node = isTest
		? triggerNodes.begin(ctx, base, { isTest })
		: await beginAt(ctx, runtime, base);
	node.selection = { ok: true, value: selection };
	node.hasMadeRoomInVain = false;
	node.otherSamples = undefined;
	if (isTest && selection.testWith === 'sampleEvent') {
		await startSampleRun(ctx, runtime, selection, node);
		return;
	}

	if (!isPublication) {
		await activate(ctx, runtime, node);
		return;
	}
	makeActive(node);
	const result = await firstCheck(ctx, runtime, node, 'publication');
	// What is wrong with a request may pass by itself. Anything else, such as a URL of n8n that the service cannot reach, does not.
	const error = result?.failure;
	if (error && !(error instanceof RequestError)) throw error;
}

/** Begins a node in production. If it had another base before, because it has another webhook ID now, it ends there. */
async function beginAt(
	ctx: IHookFunctions,
	runtime: Runtime,
	base: WebhookBase,
): Promise<TriggerNode> {
	const { triggerNodes } = runtime;
	const former = triggerNodes.known(ctx);
	const node = triggerNodes.begin(ctx, base, { isTest: false });
	if (former && former !== node && former.endedWith === undefined) await end(ctx, runtime, former);
	const { clients, endedWith } = node;
	// Another process may have made webhooks. They are removed once the new ones exist, if the node has another credential now.
	const accountId = endedWith && clients.size === 0 && (await settle(endedWith.accountId()));
	if (endedWith && accountId && accountId.ok) clients.set(accountId.value, endedWith);
	return node;
}

function makeActive(node: TriggerNode): void {
	node.isActivated = true;
	node.isStopped = false;
	node.endedWith = undefined;
	node.mayHaveWebhooks = true;
	node.health = { ...node.health, idleSince: undefined };
}

/** Registers all desired webhooks, or fails. @throws as {@link create} */
async function activate(ctx: IHookFunctions, runtime: Runtime, node: TriggerNode): Promise<void> {
	node.endedWith = undefined;
	node.isStopped = false;
	node.isActivated = false;
	node.isStarting = false;
	node.mayHaveWebhooks = true;
	node.health = { lost: [] };
	await runtime.triggerNodes.exclusively(node.base, async (signal) => {
		// n8n has called `delete` while this waited for an earlier change.
		if (runtime.triggerNodes.isEnding(node) || !node.selection.ok) throw cancelledError();
		const selection = node.selection.value;
		const client = createClient(ctx, runtime, { policy: USER, signal });
		const occasion = 'activation';
		const change = { ctx, runtime, node, selection, occasion, client, policy: USER } as const;
		const result = await reconcile(change);
		if (signal.aborted) throw cancelledError();
		if (result.failure) throw withAdvice(result.failure);
		node.isActivated = true;
		// Nothing is lost: the person has just activated the workflow, and knows that it was not active before.
		const found = { ...result, lost: [] };
		const moment = now();
		const health = nextHealth({ lost: [] }, found, { listenerLost: false, date: moment.date });
		node.health = healthAtRest(health, found, moment);
	});
}

/**
 * Adds to the message of a failure that passes by itself what to do about it: when an activation fails, n8n 2 shows the
 * message alone.
 */
function withAdvice(error: Error): Error {
	if (!(error instanceof RequestError) || !error.passes) return error;
	return error.reworded({ message: `${error.message}: publish the workflow again later` });
}

/**
 * n8n's `delete`: everything at the base is removed in the background, unless n8n calls `create` again (D103). Never throws: n8n
 * would go on listening at the base.
 * @returns true, which means nothing to n8n
 */
async function remove(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const { triggerNodes } = runtime;
	const base = webhookBase(ctx.getNodeWebhookUrl('default') ?? '');
	const known = triggerNodes.at(ctx, base);
	// n8n calls `delete`, too, after a node was not activated because another one has its base: that one keeps its webhooks.
	if (base === '' || triggerNodes.otherAt(ctx, base)) {
		if (known) triggerNodes.forget(known);
		return true;
	}
	const node = known ?? triggerNodes.unknown(ctx, base);
	triggerNodes.cancel(base);
	if (node.mayHaveWebhooks) await end(ctx, runtime, node);
	// While a test run is being registered, n8n listens again when its `create` has ended.
	if (triggerNodes.isTestRun(node)) await triggerNodes.exclusively(base, async () => undefined);
	return true;
}

/** Has the webhooks of a node removed in the background. */
async function end(ctx: IHookFunctions, runtime: Runtime, node: TriggerNode): Promise<void> {
	// After a failed activation, this process has run it, too.
	const ranHere =
		isActive(node) || (!node.isActivated && runtime.triggerNodes.at(ctx, node.base) === node);
	const client = createClient(ctx, runtime, { policy: ITEM });
	node.endedWith = client;
	// The credential is read now, because n8n evaluates its expressions only until `delete` returns.
	await settle(client.connect());
	void removeLater(ctx, runtime, node, client, ranHere);
}
