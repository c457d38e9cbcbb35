/** What n8n calls when it activates a workflow or starts, publishes a change, begins a test run, and ends any of these. */
import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { withNodeErrors, RequestError } from '../../api/errors';
import { isTestUrl } from '../../domain/n8nUrls';
import { NEW_NODE, type ActiveNode } from '../../runtime/activeNodes';
import { withRuntime, type Runtime } from '../../runtime/runtime';
import { settleSync } from '../../utils/settle';
import { readSelection } from '../readSelection';
import { check, finishCheck } from './checks';
import { depart, takeOver } from './departure';
import { ACTIVATION, PUBLICATION, START, type Occasion } from './occasions';
import { reconcile, type Reconciled } from './reconcile';
import { readRegistration, writeRegistration, type StoredRegistration } from '../staticData';
import { beginTestRun, endTestRun } from '../testRun/testRun';
import { baseOf, webhookUrl } from './webhookUrl';

export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	// `create` finds out what is to be done, so n8n always calls it.
	checkExists: async () => false,
	create: withRuntime(node, register),
	delete: withRuntime(node, unregister),
});

/**
 * How long a start or a publication waits for its first check, in milliseconds. The check then goes on by itself: n8n may
 * start one workflow after the other, and gives up on a publication after 84 seconds.
 */
const FIRST_CHECK_WAIT_MS = 10_000;

const stored = (ctx: IHookFunctions): StoredRegistration =>
	readRegistration(ctx, ctx.getWorkflowStaticData('node'));

/** Has n8n store the registration of an active node, which it does after `create`. */
function store(
	ctx: IHookFunctions,
	{ webhooks, service }: Pick<ActiveNode, 'webhooks' | 'service'>,
	lost: readonly string[] = [],
): void {
	const registration = { webhooks, service, isLeaving: false, lost };
	writeRegistration(ctx, ctx.getWorkflowStaticData('node'), registration);
}

const isStartMode = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

/** What is registered for the node, as far as this process and the static data know. */
function registeredBefore(
	ctx: IHookFunctions,
	runtime: Runtime,
): Pick<ActiveNode, 'webhooks' | 'service'> {
	const { state, node } = runtime.activeNodes.known(ctx) ?? {};
	// What a check has replaced stays in the static data, which n8n does not save then. At a start, another main process
	// may have stored it.
	if (node && state !== 'closed' && !isStartMode(ctx)) return node;
	const { webhooks, service } = stored(ctx);
	const here = node?.webhooks ?? [];
	const ids = new Set(here.map(({ id }) => id));
	return {
		webhooks: [...here, ...webhooks.filter(({ id }) => !ids.has(id))],
		service: node?.service ?? service,
	};
}

/**
 * Whether n8n activates a workflow that was active before. n8n 2 does so in the mode of a user's change when it finds a
 * trigger that should run and does not: then something is registered, and this process does not know of it.
 */
function isStart(ctx: IHookFunctions, runtime: Runtime): boolean {
	if (isStartMode(ctx)) return true;
	const state = runtime.activeNodes.known(ctx)?.state ?? 'closed';
	const { webhooks, isLeaving } = stored(ctx);
	const isChange = ctx.getActivationMode() === 'update';
	return isChange && state === 'closed' && webhooks.length > 0 && !isLeaving;
}

/**
 * Whether n8n publishes a change of an active workflow: it calls `delete`, then `create` (D79). It does not say so, but it
 * activates a workflow that was not active in another mode.
 */
function isPublication(ctx: IHookFunctions, runtime: Runtime): boolean {
	if (ctx.getActivationMode() !== 'update') return false;
	const known = runtime.activeNodes.known(ctx);
	if (known) return known.state === 'leaving' && known.node?.hasBeenLive === true;
	// n8n was killed in between, and continues.
	const { webhooks, isLeaving } = stored(ctx);
	return webhooks.length > 0 && isLeaving;
}

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
async function register(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
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

async function activate(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { activeNodes } = runtime;
	const selection = readSelection(ctx);
	const base = webhookUrl(ctx);
	const { isLeaving } = stored(ctx);
	const before = await takeOver(ctx, runtime, registeredBefore(ctx, runtime));
	const isKnownHere = activeNodes.known(ctx)?.node !== undefined;
	// A removal that an earlier process had begun has most likely removed them.
	const webhooks = isLeaving && !isKnownHere ? [] : before.webhooks;
	activeNodes.cancel(ctx, base);
	const node: ActiveNode = {
		...NEW_NODE,
		base,
		selection: { ok: true, value: selection },
		webhooks,
		service: before.service,
	};
	activeNodes.open(ctx, node);
	await activeNodes.exclusively(ctx, base, async (signal) => {
		const registration = { ...node, hasBeenComplete: false };
		const done = await reconcile(ctx, runtime, registration, ACTIVATION, { signal });
		// Also after a failure: `delete` removes what was created.
		activeNodes.update(ctx, { webhooks: done.webhooks, service: done.service });
		before.removeRest();
		// n8n has tried before, and the error has been shown: the checks wait for what is still open.
		if (done.failure && !done.isOnlyWaiting) throw ofActivation(done.failure);
		activeNodes.update(ctx, { hasBeenLive: true });
		// The user has just seen what was done.
		finishCheck(ctx, runtime, node, { ...done, lost: [] }, ACTIVATION);
		store(ctx, done);
	});
}

/** The error of a failed activation, of which n8n 2 shows the message alone: it says what to do about what passes by itself. */
function ofActivation(failure: Error): Error {
	const isPassing =
		failure instanceof RequestError && ['server', 'busy', 'rateLimited'].includes(failure.kind);
	if (!isPassing) return failure;
	const { kind, description, details } = failure;
	const message = `${failure.message}: publish the workflow again later`;
	return new RequestError(kind, { message, description }, details);
}

/**
 * The node goes live with what is registered, whatever is wrong, and its first check does the rest. Parameters that cannot be
 * used change nothing, and are reported by the checks.
 */
async function start(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const before = registeredBefore(ctx, runtime);
	const { lost } = stored(ctx);
	const url = settleSync(() => webhookUrl(ctx));
	const selection = settleSync(() => readSelection(ctx));
	const node: ActiveNode = {
		...NEW_NODE,
		...before,
		base: url.ok ? url.value : baseOf(before.webhooks),
		selection: url.ok ? selection : url,
		hasBeenLive: true,
		health: { lost },
	};
	runtime.activeNodes.open(ctx, node);
	const done = await firstCheck(ctx, runtime, START);
	// What an earlier start has stored is reported by the next check, and need not be stored again.
	store(ctx, runtime.activeNodes.known(ctx)?.node ?? node, done?.lost);
}

/**
 * The node stays live with the changed parameters and what is registered, and its first check does the rest: what is still
 * desired stays, and what is new is created before anything is removed (D103).
 * @throws NodeOperationError for what a person must correct
 */
async function publish(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { activeNodes } = runtime;
	const selection = readSelection(ctx);
	const base = webhookUrl(ctx);
	const { node: before } = activeNodes.known(ctx) ?? {};
	const { webhooks, service, removeRest } = await takeOver(
		ctx,
		runtime,
		registeredBefore(ctx, runtime),
	);
	// A removal may be under way, if n8n has taken long.
	activeNodes.cancel(ctx, before?.base ?? base);
	const node: ActiveNode = {
		...NEW_NODE,
		...before,
		webhooks,
		service,
		base,
		selection: { ok: true, value: selection },
		hasBeenLive: true,
		isUnfinished: true,
	};
	activeNodes.open(ctx, node);
	const done = await firstCheck(ctx, runtime, PUBLICATION);
	removeRest();
	if (done?.failure && !(done.failure instanceof RequestError)) throw done.failure;
	const { node: after = node } = activeNodes.known(ctx) ?? {};
	store(ctx, after, after.health.lost);
}

/** @returns the result of the check; undefined when it takes longer */
async function firstCheck(
	ctx: IHookFunctions,
	runtime: Runtime,
	occasion: Occasion,
): Promise<Reconciled | undefined> {
	const tooLong = sleep(FIRST_CHECK_WAIT_MS).then(() => undefined);
	return await Promise.race([check(ctx, runtime, occasion), tooLong]);
}

/**
 * n8n's `delete`: the webhooks are removed in the background, unless n8n calls `create` again (D103).
 * @returns true, which means nothing to n8n; it never throws, because n8n would keep the route of the webhook
 */
async function unregister(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const url = ctx.getNodeWebhookUrl('default');
	// In the mode of a deactivation: only the URL tells, which may have any path (`N8N_ENDPOINT_WEBHOOK_TEST`).
	if (url !== undefined && (runtime.activeNodes.testRun(ctx)?.base === url || isTestUrl(url))) {
		await endTestRun(ctx, runtime, url);
		return true;
	}
	const before = registeredBefore(ctx, runtime);
	// Empty where a start got no URL.
	const base = runtime.activeNodes.known(ctx)?.node?.base || (url ?? baseOf(before.webhooks));
	await depart(ctx, runtime, { ...before, base });
	return true;
}
