import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import type { Hook } from '../model/schemas';
import { settle } from '../transport/settle';
import { listWebhooks } from '../transport/webhooks';
import { applyPlan } from './apply';
import { exclusively, setActive } from '../runtime/activeNodes';
import type { RegisteredWebhook } from '../model/registration';
import { recall, remember } from './memory';
import { planRegistration, type Plan } from './plan';
import { checkSelection, readSelection } from './selection';
import type { DesiredWebhook } from '../model/registration';
import { wantedHooks } from './wanted';

/** How long the list that `checkExists` got is good enough for the `create` that n8n calls right after it, in ms. */
const HANDOVER_MS = 10_000;

type Registration = { base: string; wanted: DesiredWebhook[]; remembered: RegisteredWebhook[] };
type Checked = { plan: Plan; listed: Hook[]; at: number };

/** From `checkExists` to `create`: n8n gives both the same static data object, so one GET serves both. */
const handover = new WeakMap<object, Checked>();

/** The address of this node's webhooks, without the event; test and production have different ones. */
export function baseUrl(ctx: IHookFunctions): string {
	const url = ctx.getNodeWebhookUrl('default');
	if (url) return url;
	throw new NodeOperationError(ctx.getNode(), 'n8n gave no webhook address for this node', {
		description: 'Save the workflow and activate it again.',
	});
}

function readRegistration(ctx: IHookFunctions): Registration {
	const selection = readSelection(ctx);
	checkSelection(ctx.getNode(), selection);
	const base = baseUrl(ctx);
	const remembered = recall(ctx, ctx.getWorkflowStaticData('node'));
	return { base, wanted: wantedHooks(selection, base), remembered };
}

const isTestRun = (ctx: IHookFunctions): boolean => ctx.getMode() === 'manual';

/** From now on the webhooks are watched, unless they belong to a test run. */
function nowLive(
	ctx: IHookFunctions,
	{ base, wanted }: Registration,
	hooks: RegisteredWebhook[],
): void {
	if (!isTestRun(ctx))
		setActive(ctx, {
			base,
			desired: wanted,
			hooks,
			leftovers: [],
			unsaved: new Set(),
			incomplete: false,
		});
}

/** Whether the service was out of reach, rather than refusing us. */
const isOutage = (error: unknown): error is NodeApiError =>
	error instanceof NodeApiError && (error.httpCode === null || /^(429|5..)$/.test(error.httpCode));

/**
 * When n8n starts while the service is down, what we remember is taken for granted: n8n would otherwise remove the
 * webhooks and give up on the workflow, although nothing is wrong with them. The next repair looks again.
 */
function isTrustedAtStart(ctx: IHookFunctions, { wanted, remembered }: Registration): boolean {
	const atStart = ['init', 'leadershipChange'].includes(ctx.getActivationMode());
	const urls = new Set(remembered.map(({ targetUrl }) => targetUrl));
	return atStart && wanted.every(({ targetUrl }) => urls.has(targetUrl));
}

/**
 * Whether the service has exactly the wanted webhooks (§4.1). One request.
 * @throws NodeOperationError for a selection that cannot work; NodeApiError when the service does not answer
 */
export async function isRegistered(ctx: IHookFunctions): Promise<boolean> {
	const registration = readRegistration(ctx);
	return await exclusively(ctx, async () => {
		const list = await settle(listWebhooks(ctx));
		if (!list.ok) {
			if (!isOutage(list.error) || !isTrustedAtStart(ctx, registration)) throw list.error;
			ctx.logger.warn(
				`The webhooks of "${ctx.getNode().name}" could not be checked at the start: ${list.error.message}. They are taken to be as they were.`,
			);
			nowLive(ctx, registration, registration.remembered);
			return true;
		}
		const plan = planRegistration({ ...registration, listed: list.value });
		if (plan.create.length + plan.remove.length === 0) {
			nowLive(ctx, registration, plan.keep);
			return true;
		}
		handover.set(ctx.getWorkflowStaticData('node'), {
			plan,
			listed: list.value,
			at: performance.now(),
		});
		return false;
	});
}

/**
 * Makes the service have exactly the wanted webhooks (§4.2, §4.3): one request for each created or removed.
 * @throws as {@link isRegistered}; then nothing is registered that was not before
 */
export async function register(ctx: IHookFunctions): Promise<void> {
	const registration = readRegistration(ctx);
	await exclusively(ctx, async () => {
		const staticData = ctx.getWorkflowStaticData('node');
		const checked = handover.get(staticData);
		handover.delete(staticData);
		const fresh = checked && performance.now() - checked.at < HANDOVER_MS;
		const listed = fresh ? checked.listed : await listWebhooks(ctx);
		const plan = fresh ? checked.plan : planRegistration({ ...registration, listed });
		const hooks = await applyPlan(ctx, plan, listed);
		remember(ctx, staticData, hooks);
		nowLive(ctx, registration, hooks);
	});
}
