import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { isOutage, reportedBy, RequestError } from '../../api/errors';
import { isTestUrl } from '../../model/n8nUrls';
import type { RegisteredWebhook } from '../../model/registration';
import { NEW_NODE } from '../../runtime/activeNodes';
import { withRuntime, type Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { readSelection } from '../parameters';
import { check, conclude } from './checks';
import { reconcile, type Occasion, type Reconciled } from './reconcile';
import { startSampleRun } from './sampleRun';
import { readRegistered, writeRegistered } from './staticData';

/** What n8n calls when it activates a workflow or starts, begins a test run, and ends either. */
export const lifecycleOf = (node: { readonly runtime: Runtime }) => ({
	// `create` finds out what is to be done, so n8n always calls it.
	checkExists: async () => false,
	create: withRuntime(node, register),
	delete: withRuntime(node, unregister),
});

/** How long a start waits for its check, in milliseconds: n8n may start one workflow after the other. */
const START_WAIT_MS = 10_000;

/** The URL of this node's webhooks, without the event; test and production have different ones. */
function webhookUrl(ctx: IHookFunctions): string {
	const url = ctx.getNodeWebhookUrl('default');
	if (url !== undefined && URL.canParse(url)) return url;
	throw new NodeOperationError(ctx.getNode(), 'n8n provided no webhook URL for this node', {
		description:
			'Save the workflow, then publish (activate) it again. Check that WEBHOOK_URL is a valid URL.',
	});
}

/** What n8n has stored of the registration. */
const stored = (ctx: IHookFunctions): RegisteredWebhook[] =>
	readRegistered(ctx, ctx.getWorkflowStaticData('node'));

/** Has n8n store the registration, which it does after `create` and `delete`. */
const store = (ctx: IHookFunctions, webhooks: readonly RegisteredWebhook[]): void =>
	writeRegistered(ctx, ctx.getWorkflowStaticData('node'), webhooks);

const isStartMode = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

/** The registered webhooks, as far as this process and the static data know them. */
function knownWebhooks(ctx: IHookFunctions, runtime: Runtime): readonly RegisteredWebhook[] {
	const { state, node } = runtime.activeNodes.known(ctx) ?? {};
	const here = node?.webhooks ?? [];
	// What a check has replaced stays in the static data, which n8n does not save then. At a start, another main process
	// may have stored it.
	if (node && state !== 'closed' && !isStartMode(ctx)) return here;
	const ids = new Set(here.map(({ id }) => id));
	return [...here, ...stored(ctx).filter(({ id }) => !ids.has(id))];
}

/**
 * Whether n8n activates a workflow that was active before. n8n 2 does so in the mode of a user's change when it finds a
 * trigger that should run and does not: then something is registered, and this process does not know of it.
 */
function isStart(ctx: IHookFunctions, runtime: Runtime): boolean {
	if (isStartMode(ctx)) return true;
	const state = runtime.activeNodes.known(ctx)?.state ?? 'closed';
	const isChange = ctx.getActivationMode() === 'update';
	return isChange && state === 'closed' && stored(ctx).length > 0;
}

/**
 * n8n's `create`: makes the service have exactly the desired webhooks (§4.2, §4.3). An activation by a user succeeds
 * completely or not at all. A start of n8n never fails (D65): it is the node's first check.
 * @throws NodeOperationError for a selection that cannot work, or an n8n that the service cannot reach (D33);
 *   NodeApiError when the list cannot be fetched or a webhook cannot be created, after removing what was created
 */
async function register(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	if (ctx.getMode() === 'manual') {
		await reportedBy(ctx.getNode(), beginTestRun(ctx, runtime));
		return true;
	}
	if (isStart(ctx, runtime)) {
		await start(ctx, runtime);
		return true;
	}
	const result = await settle(reportedBy(ctx.getNode(), activate(ctx, runtime)));
	if (result.ok) return true;
	runtime.activeNodes.end(ctx, 'failed');
	throw result.error;
}

async function activate(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { activeNodes } = runtime;
	const selection = readSelection(ctx);
	const base = webhookUrl(ctx);
	await activeNodes.exclusively(ctx, base, async (signal) => {
		const isChange = ctx.getActivationMode() === 'update';
		const wasActive = isChange && activeNodes.known(ctx)?.state === 'leaving';
		const known = knownWebhooks(ctx, runtime);
		const read = { ok: true, value: selection } as const;
		const node = { ...NEW_NODE, base, selection: read, webhooks: known };
		activeNodes.open(ctx, node);
		const done = await reconcile(ctx, runtime, node, 'activation', signal);
		// n8n has just removed the webhooks to publish a change, and would give up on the workflow for good.
		if (done.failure && !(wasActive && isOutage(done.failure))) throw ofActivation(done.failure);
		activeNodes.update(ctx, { webhooks: done.webhooks });
		// The user has just seen what was done.
		conclude(ctx, runtime, node, { ...done, lost: [] }, 'activation');
		store(ctx, done.webhooks);
	});
}

/** Of a failed activation, n8n 2 shows the message alone: of what passes by itself, it says what to do. */
function ofActivation(failure: Error): Error {
	const isPassing =
		failure instanceof RequestError && ['server', 'busy', 'rateLimited'].includes(failure.kind);
	if (!isPassing) return failure;
	const { kind, description, details } = failure;
	const message = `${failure.message}: publish the workflow again later`;
	return new RequestError(kind, { message, description }, details);
}

/** The URL that a node's webhooks have, without the event. */
const baseOf = ([first]: readonly RegisteredWebhook[]): string =>
	first?.targetUrl.split('?')[0] ?? '';

/**
 * The node goes live with what is registered, whatever is wrong, and its first check does the rest: n8n gives up on a
 * workflow whose start fails, and would first have the webhooks removed that work. Parameters that cannot be used change
 * nothing, and are reported by the checks.
 */
async function start(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { activeNodes } = runtime;
	const webhooks = knownWebhooks(ctx, runtime);
	const url = await settle(Promise.resolve().then(() => webhookUrl(ctx)));
	const base = url.ok ? url.value : baseOf(webhooks);
	const read = await settle(Promise.resolve().then(() => readSelection(ctx)));
	activeNodes.open(ctx, { ...NEW_NODE, base, selection: url.ok ? read : url, webhooks });
	await Promise.race([check(ctx, runtime, 'start'), sleep(START_WAIT_MS)]);
	store(ctx, activeNodes.known(ctx)?.node?.webhooks ?? webhooks);
}

/** A test run has webhooks of its own, at n8n's test URL, for as long as it listens. */
async function beginTestRun(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const { activeNodes } = runtime;
	const testRun = activeNodes.beginTestRun(ctx, webhookUrl(ctx));
	const { base } = testRun;
	const selection = readSelection(ctx);
	if (selection.testWith === 'sampleEvent') {
		await startSampleRun(ctx, runtime, selection, testRun);
		return;
	}
	await activeNodes.exclusively(ctx, base, async () => {
		const read = { ok: true, value: selection } as const;
		const registration = { base, selection: read, webhooks: stored(ctx) };
		const { webhooks, failure } = await reconcile(ctx, runtime, registration, 'testRun');
		if (failure) throw failure;
		store(ctx, webhooks);
	});
}

/**
 * n8n's `delete`: removes the registered webhooks and those at this node's target URLs (§4.3). After an activation that
 * failed there is nothing to do: that has undone itself, and n8n would keep the route of the webhook if this failed.
 * @returns true, which means nothing to n8n: only an error tells it that something remains
 * @throws NodeApiError when a webhook of an active workflow could not be removed: n8n tries again, and tells the user.
 *   What remains stays registered, so that the next activation removes it. At the end of a test run, a failure is only
 *   logged (D60).
 */
async function unregister(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	const { activeNodes } = runtime;
	const url = ctx.getNodeWebhookUrl('default');
	// In the mode of a deactivation: only the URL tells, which may have any path (`N8N_ENDPOINT_WEBHOOK_TEST`).
	if (url !== undefined && (activeNodes.testRun(ctx)?.base === url || isTestUrl(url))) {
		await endTestRun(ctx, runtime, url);
		return true;
	}
	const known = activeNodes.known(ctx);
	if (known?.state === 'failed') {
		activeNodes.end(ctx, 'undone');
		return true;
	}
	// Empty where a start got no URL.
	const base = known?.node?.base || (url ?? baseOf(knownWebhooks(ctx, runtime)));
	activeNodes.cancel(ctx, base);
	const removal = activeNodes.exclusively(ctx, base, async () => {
		const all = knownWebhooks(ctx, runtime);
		// From here on nothing is repaired any more, even if the removal fails.
		activeNodes.end(ctx, 'leaving');
		const { webhooks, failure } = await removeAll(ctx, runtime, base, all, 'deactivation');
		activeNodes.update(ctx, { webhooks });
		if (failure) throw failure;
	});
	await reportedBy(ctx.getNode(), removal);
	return true;
}

/**
 * Reconciles to nothing. What could not be removed stays stored, and is noted for the next change of any node.
 * @returns the webhooks that remain, and why
 */
async function removeAll(
	ctx: IHookFunctions,
	runtime: Runtime,
	base: string,
	known: readonly RegisteredWebhook[],
	occasion: Occasion,
): Promise<Pick<Reconciled, 'webhooks' | 'failure'>> {
	const nothing = { base, selection: undefined, webhooks: known };
	const { webhooks, failure, refused } = await reconcile(ctx, runtime, nothing, occasion);
	if (failure) runtime.activeNodes.leaveBehind(known);
	store(ctx, webhooks);
	const [refusal] = refused.values();
	return { webhooks, failure: failure ?? refusal };
}

/** Returns at once: n8n listens until then. Only a `create` that is under way is waited for, after which n8n listens again. */
async function endTestRun(ctx: IHookFunctions, runtime: Runtime, base: string): Promise<void> {
	const { activeNodes } = runtime;
	const isChanging = activeNodes.isChanging(ctx, base);
	const testRun = activeNodes.testRun(ctx);
	if (testRun?.sample) {
		delete testRun.sample;
		return;
	}
	const logged = activeNodes.exclusively(ctx, base, async () => {
		const { failure } = await removeAll(ctx, runtime, base, stored(ctx), 'testRun');
		if (!failure) return;
		ctx.logger.warn(
			`The webhooks of a test run of "${ctx.getNode().name}" could not be removed: ${failure.message}. The next test run with 'Real Event' removes them; or delete them at the service.`,
			{ workflowId: ctx.getWorkflow().id },
		);
	});
	if (isChanging) await logged;
}
