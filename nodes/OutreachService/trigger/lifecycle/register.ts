import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { createClient } from '../../api/createClient';
import { reportedBy, RequestError } from '../../api/errors';
import { ACTIVATION_POLICY, START_POLICY, type RetryPolicy } from '../../api/retryPolicy';
import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import type { ActiveNode } from '../../runtime/activeNodes';
import { initialHealth, type Checked } from '../../runtime/health';
import { nodeKey } from '../../runtime/nodeKey';
import type { Runtime } from '../../runtime/runtime';
import { settle } from '../../utils/settle';
import { checkSelection } from '../checkSelection';
import { readSelection } from '../parameters';
import { applyPlan, undo, type Applied } from '../reconcile/apply';
import { desiredWebhooks } from '../reconcile/desired';
import { leftoversOf, lostEvents, reasonsIn, restOf } from '../reconcile/outcome';
import { planRegistration, sameSettings } from '../reconcile/plan';
import { markSampleRun, markTestRun, readRegistered, writeRegistered } from '../state/staticData';
import { checkReach } from './checkReach';
import { startSampleRun } from './sampleRun';

type Registration = { base: string; desired: DesiredWebhook[]; registered: RegisteredWebhook[] };

/** The URL of this node's webhooks, without the event; test and production have different ones. */
export function webhookUrl(ctx: IHookFunctions): string {
	const url = ctx.getNodeWebhookUrl('default');
	if (url) return url;
	throw new NodeOperationError(ctx.getNode(), 'n8n provided no webhook URL for this node', {
		description: 'Save the workflow and activate it again.',
	});
}

/** A node, and whether it is active or in a test run. */
export const failureKey = (ctx: IHookFunctions, base: string): string => `${nodeKey(ctx)}\n${base}`;

function readRegistration(ctx: IHookFunctions): Registration {
	const selection = readSelection(ctx);
	checkSelection(ctx.getNode(), selection);
	const base = webhookUrl(ctx);
	const registered = readRegistered(ctx, ctx.getWorkflowStaticData('node'));
	return { base, desired: desiredWebhooks(selection, base), registered };
}

const isManual = (ctx: IHookFunctions): boolean => ctx.getMode() === 'manual';

const isSampleRun = (ctx: IHookFunctions): boolean =>
	isManual(ctx) && readSelection(ctx).testWith === 'sampleEvent';

/** The webhooks that are as desired, and what is left to do. */
type State = {
	webhooks: RegisteredWebhook[];
	leftovers?: RegisteredWebhook[];
	incomplete?: boolean;
	checked?: Checked;
	atStart?: ReadonlySet<string> | undefined;
} & Pick<ActiveNode, 'failedRemovals' | 'delivering'>;

/** From now on the webhooks are checked, unless they belong to a test run. */
function goLive(
	ctx: IHookFunctions,
	runtime: Runtime,
	{ base, desired }: Registration,
	{ leftovers = [], incomplete = false, checked = { restored: [] }, ...state }: State,
): void {
	if (isManual(ctx)) return;
	const unsaved = new Set<string>();
	const health = initialHealth(checked, Date.now());
	const node = { base, desired, leftovers, incomplete, unsaved, health, ...state };
	runtime.activeNodes.set(ctx, node);
}

/** How long a start may begin requests, in milliseconds: n8n gives up after 84 s. The next check does the rest. */
const START_BUDGET_MS = 30_000;

/**
 * Whether n8n activates a workflow that was active before. n8n 2 does so in the mode of a user's change when it finds a
 * trigger that should run and does not: then everything is registered, and this process does not know of it.
 */
function isStart(ctx: IHookFunctions, runtime: Runtime, registration: Registration): boolean {
	const mode = ctx.getActivationMode();
	if (mode === 'init' || mode === 'leadershipChange') return true;
	const { activeNodes } = runtime;
	const isKnown = activeNodes.get(ctx) !== undefined || activeNodes.isLeaving(ctx);
	const isComplete = registration.desired.every((one) =>
		registration.registered.some((webhook) => sameSettings(webhook, one)),
	);
	return mode === 'update' && !isManual(ctx) && !isKnown && isComplete;
}

const policyOf = (started: boolean): RetryPolicy => (started ? START_POLICY : ACTIVATION_POLICY);

/**
 * When n8n starts or takes the lead, no failure of the service keeps the node from going live with what it has: n8n
 * would otherwise call `delete`, which removes the webhooks that work, and give up on the workflow after five attempts.
 */
const canGoLive = (started: boolean, failure: Error, webhooks: readonly unknown[]): boolean =>
	started && (failure instanceof RequestError || webhooks.length > 0);

/** The registered webhooks that are as desired, and the others, which are to be removed. */
function split({
	desired,
	registered,
}: Registration): Required<Pick<State, 'webhooks' | 'leftovers'>> {
	const isDesired = (webhook: RegisteredWebhook) =>
		desired.some((one) => sameSettings(webhook, one));
	return {
		webhooks: registered.filter(isDesired),
		leftovers: registered.filter((webhook) => !isDesired(webhook)),
	};
}

/**
 * n8n's `checkExists`: fetches the list of webhooks (§4.1). If it has exactly the desired ones, the node becomes active;
 * otherwise the list is kept for `create`. At a start of n8n, webhooks that cannot be checked count as unchanged (D21).
 * @returns whether the service has exactly the desired webhooks
 * @throws NodeOperationError for a selection that cannot work, or an n8n that the service cannot reach (D33);
 *   NodeApiError when the list cannot be fetched on activation
 */
export async function isRegistered(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	return await partOfActivation(ctx, runtime, check(ctx, runtime));
}

/** Reports a failure as an error of the node, and notes it for the `delete` that n8n calls next. */
async function partOfActivation<T>(
	ctx: IHookFunctions,
	runtime: Runtime,
	part: Promise<T>,
): Promise<T> {
	const result = await settle(reportedBy(ctx.getNode(), part));
	if (result.ok) return result.value;
	runtime.handovers.leaveFailure(failureKey(ctx, webhookUrl(ctx)), 'other');
	throw result.error;
}

async function check(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	if (isManual(ctx)) markTestRun(ctx.getWorkflowStaticData('node'), webhookUrl(ctx));
	// A test run with a sample has no webhooks, so n8n calls `create`.
	if (isSampleRun(ctx)) return false;
	const registration = readRegistration(ctx);
	return await runtime.activeNodes.exclusively(ctx, registration.base, async () => {
		const started = isStart(ctx, runtime, registration);
		const client = createClient(ctx, runtime, { policy: policyOf(started) });
		const list = await settle(client.listWebhooks());
		const stored = split(registration);
		if (!list.ok && !canGoLive(started, list.error, stored.webhooks)) {
			runtime.handovers.leaveFailure(failureKey(ctx, registration.base), 'list');
			throw list.error;
		}
		// After the list: a mistyped address of the API is nowhere near n8n either. n8n always asks for `checkExists`
		// before `create`, so it is enough to check here.
		await checkReach(ctx, client, registration.base);
		if (!list.ok) {
			ctx.logger.warn(
				`The webhooks of "${ctx.getNode().name}" could not be checked at the start: ${list.error.message}. They are assumed to be unchanged; the next check is in a minute.`,
			);
			const checked = { failure: list.error, restored: [] };
			const atStart = urlsOf(registration.registered);
			goLive(ctx, runtime, registration, { ...stored, incomplete: true, checked, atStart });
			return true;
		}
		const others = runtime.activeNodes.webhooksOfOthers(ctx);
		const plan = planRegistration({ ...registration, listed: list.value, others });
		if (plan.create.length + plan.remove.length === 0) {
			goLive(ctx, runtime, registration, { webhooks: plan.keep });
			return true;
		}
		runtime.handovers.leave(ctx.getWorkflowStaticData('node'), list.value);
		return false;
	});
}

/**
 * n8n's `create`: makes the service have exactly the desired webhooks (§4.2, §4.3), with one request for each that is
 * created or removed. A webhook that cannot be removed does not fail the activation: the next check removes it.
 * @throws as {@link isRegistered}, after removing what was created; earlier webhooks may be gone already
 */
export async function register(ctx: IHookFunctions, runtime: Runtime): Promise<boolean> {
	await partOfActivation(ctx, runtime, registerDesired(ctx, runtime));
	return true;
}

async function registerDesired(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	if (isSampleRun(ctx)) {
		const selection = readSelection(ctx);
		checkSelection(ctx.getNode(), selection);
		markSampleRun(ctx.getWorkflowStaticData('node'));
		await startSampleRun(ctx, runtime, selection, webhookUrl(ctx));
		return;
	}
	const registration = readRegistration(ctx);
	await runtime.activeNodes.exclusively(ctx, registration.base, async () => {
		const started = isStart(ctx, runtime, registration);
		const until = started ? performance.now() + START_BUDGET_MS : undefined;
		const client = createClient(ctx, runtime, { policy: policyOf(started) });
		const staticData = ctx.getWorkflowStaticData('node');
		const listed = runtime.handovers.take(staticData) ?? (await client.listWebhooks());
		const others = runtime.activeNodes.webhooksOfOthers(ctx);
		const plan = planRegistration({ ...registration, listed, others });
		// A webhook delivers as soon as it is created, before its secret is registered here.
		runtime.derivedDigests.forget(nodeKey(ctx));
		const mode = started ? 'bestEffort' : 'complete';
		const applied = await applyPlan(client, plan, listed, { others, mode, until });
		const { failure, webhooks, created, remaining } = applied;
		// What remains may work as well: it is only unknown whether a webhook that n8n could not save has its secret.
		if (failure && !canGoLive(started, failure, [...webhooks, ...remaining])) {
			await undo(client, created, ctx.logger);
			throw failure;
		}
		const leftovers = leftoversOf(applied, registration.registered);
		writeRegistered(ctx, staticData, [...webhooks, ...leftovers]);
		const isRest = failure !== undefined || remaining.length > 0;
		const atStart = started ? urlsOf(registration.registered) : undefined;
		const restored = atStart ? lostEvents(created, listed, atStart) : [];
		// The next minute's check reports what was restored: here n8n has no means to save an execution.
		const incomplete = isRest || applied.mayHaveDuplicates || restored.length > 0;
		const checked = { failure, restored };
		const state = { webhooks, leftovers, incomplete, checked, ...(failure ? { atStart } : {}) };
		const rest = restOf(applied, registration.desired);
		goLive(ctx, runtime, registration, { ...state, ...rest });
		if (isRest) warnOfRest(ctx, applied);
	});
}

const urlsOf = (webhooks: readonly RegisteredWebhook[]): ReadonlySet<string> =>
	new Set(webhooks.map(({ targetUrl }) => targetUrl));

function warnOfRest(ctx: IHookFunctions, applied: Applied): void {
	ctx.logger.warn(
		`Not all webhooks of "${ctx.getNode().name}" could be registered or removed: ${reasonsIn(applied)}. The workflow is active with the others; the next check, in a minute, tries again.`,
	);
}
