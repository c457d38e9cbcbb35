import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import type { DesiredWebhook, RegisteredWebhook } from '../../model/registration';
import type { Hook } from '../../model/schemas';
import { exclusively, hooksOfOthers, setActive } from '../../runtime/activeNodes';
import { settle } from '../../utils/settle';
import { listWebhooks } from '../../api/webhooks';
import { applyPlan, undo, type Applied } from '../reconcile/apply';
import { recall, remember } from '../state/staticData';
import { planRegistration, sameSettings, type Plan } from '../reconcile/plan';
import { checkSelection, readSelection } from '../parameters';
import { wantedHooks } from '../reconcile/desired';

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

/** What of a registration is in force, and what is left to do. */
type State = {
	hooks: RegisteredWebhook[];
	leftovers?: RegisteredWebhook[];
	incomplete?: boolean;
};

/** From now on the webhooks are checked, unless they belong to a test run. */
function nowActive(ctx: IHookFunctions, { base, wanted }: Registration, state: State): void {
	if (isTestRun(ctx)) return;
	const { hooks, leftovers = [], incomplete = false } = state;
	setActive(ctx, { base, desired: wanted, hooks, leftovers, incomplete, unsaved: new Set() });
}

const isStart = (ctx: IHookFunctions): boolean =>
	['init', 'leadershipChange'].includes(ctx.getActivationMode());

/**
 * When n8n starts or takes the lead, no failure of the service keeps the node from going live with what it has: n8n
 * would otherwise call `delete`, which removes the webhooks that are well, and give up on the workflow after five tries.
 */
const canGoLive = (ctx: IHookFunctions, failure: Error, webhooks: readonly unknown[]): boolean =>
	isStart(ctx) && (failure instanceof NodeApiError || webhooks.length > 0);

/** The stored webhooks that are as desired, and the others, which are to be removed. */
function split({ wanted, remembered }: Registration): Required<Omit<State, 'incomplete'>> {
	const isDesired = (hook: RegisteredWebhook) => wanted.some((one) => sameSettings(hook, one));
	return {
		hooks: remembered.filter(isDesired),
		leftovers: remembered.filter((hook) => !isDesired(hook)),
	};
}

/**
 * Whether the service has exactly the desired webhooks (§4.1). One request.
 * @throws NodeOperationError for a selection that cannot work; NodeApiError when the service does not respond
 */
export async function isRegistered(ctx: IHookFunctions): Promise<boolean> {
	const registration = readRegistration(ctx);
	return await exclusively(ctx, async () => {
		const list = await settle(listWebhooks(ctx));
		if (!list.ok) {
			const stored = split(registration);
			if (!canGoLive(ctx, list.error, stored.hooks)) throw list.error;
			ctx.logger.warn(
				`The webhooks of "${ctx.getNode().name}" could not be checked at the start: ${list.error.message}. They count as they were; the next check is in a minute.`,
			);
			nowActive(ctx, registration, { ...stored, incomplete: true });
			return true;
		}
		const others = hooksOfOthers(ctx);
		const plan = planRegistration({ ...registration, listed: list.value, others });
		if (plan.create.length + plan.remove.length === 0) {
			nowActive(ctx, registration, { hooks: plan.keep });
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
 * Makes the service have exactly the desired webhooks (§4.2, §4.3): one request for each created or removed. A
 * webhook that cannot be removed does not fail the activation: the next check removes it.
 * @throws as {@link isRegistered}; then nothing is registered that was not before
 */
export async function register(ctx: IHookFunctions): Promise<void> {
	const registration = readRegistration(ctx);
	await exclusively(ctx, async () => {
		const staticData = ctx.getWorkflowStaticData('node');
		const checked = handover.get(staticData);
		handover.delete(staticData);
		const fresh = checked && performance.now() - checked.at < HANDOVER_MS;
		const others = hooksOfOthers(ctx);
		const listed = fresh ? checked.listed : await listWebhooks(ctx);
		const plan = fresh ? checked.plan : planRegistration({ ...registration, listed, others });
		const mode = isStart(ctx) ? 'bestEffort' : 'complete';
		const applied = await applyPlan(ctx, plan, listed, { others, mode });
		const { failure, hooks, created, remaining } = applied;
		// What remains may work as well: of a webhook that n8n could not save, only its secret is not known for sure.
		if (failure && !canGoLive(ctx, failure, [...hooks, ...remaining])) {
			await undo(ctx, created);
			throw failure;
		}
		const leftovers = leftoversOf(applied, registration.remembered);
		remember(ctx, staticData, [...hooks, ...leftovers]);
		const incomplete = failure !== undefined || remaining.length > 0;
		nowActive(ctx, registration, { hooks, leftovers, incomplete });
		if (incomplete) warnOfRest(ctx, applied);
	});
}

/** The stored webhooks that are still there although they should be gone. */
export function leftoversOf(
	{ remaining }: Applied,
	remembered: readonly RegisteredWebhook[],
): RegisteredWebhook[] {
	const ids = new Set(remaining.map(({ _id }) => _id));
	return remembered.filter(({ id }) => ids.has(id));
}

function warnOfRest(ctx: IHookFunctions, { failure, removalFailures }: Applied): void {
	const reasons = [...(failure ? [failure] : []), ...removalFailures].map(({ message }) => message);
	ctx.logger.warn(
		`Not all webhooks of "${ctx.getNode().name}" could be registered or removed: ${[...new Set(reasons)].join('; ')}. The workflow is active with the others; the next check, in a minute, tries again.`,
	);
}
