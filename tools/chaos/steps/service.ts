import type { Fault, HookView } from '../../service';
import { expectedWebhooks, isAsExpected } from '../desiredWebhooks';
import { addForeign, disturb, ownOf, positionOfTrigger, type Model } from '../model';
import type { World } from '../world';
import { step, type Step } from './step';

/** The maximum delay of a request, in milliseconds: less than half the time n8n takes to start. */
export const MAX_DELAY_MS = 2_000;

/** Whether a fault is more than an outage: if n8n and the node give up because of it, the user must try again. */
const isRefusal = (fault: Fault): boolean =>
	fault.kind === 'html' ||
	fault.kind === 'brokenJson' ||
	(fault.kind === 'status' && fault.status < 500 && fault.status !== 429);

export function applyFault(model: Model, { host }: World, fault: Fault): void {
	if (fault.kind === 'delay') model.slow = true;
	model.refusing ||= isRefusal(fault);
	host.service.addFault(fault);
}

export const describeFault = (fault: Fault) => `fault at the service: ${JSON.stringify(fault)}`;

/** Makes the next matching requests fail. */
export const addFault = (fault: Fault): Step =>
	step({
		kind: 'fault',
		text: describeFault(fault),
		run: (model, world) => {
			disturb(model);
			applyFault(model, world, fault);
		},
	});

/** The service is unreachable for a while, as during a restart. */
export const takeServiceDown = (forMs: number): Step =>
	step({
		kind: 'service down',
		text: `the service goes down for ${forMs} ms`,
		run: (model, { proxy }) => {
			disturb(model);
			proxy.goDownFor(forMs);
		},
	});

/** Removes or disables one of our webhooks directly at the service. */
export const tamperWithWebhook = (what: 'remove' | 'disable', index: number): Step =>
	step({
		kind: `${what} a webhook`,
		text: `${what} webhook ${index} directly at the service`,
		run: (model, world) => {
			tamper(model, world, what, index);
		},
	});

/** One of the webhooks of our triggers, by its index modulo their number. */
export function ownWebhook(model: Model, world: World, index: number): HookView | undefined {
	const own = ownOf(model, world.webhooks);
	return own[index % Math.max(own.length, 1)];
}

/** @param index as in `ownWebhook` */
export function tamper(
	model: Model,
	world: World,
	what: 'remove' | 'disable',
	index: number,
): void {
	const { service } = world.host;
	const webhook = ownWebhook(model, world, index);
	if (webhook === undefined) return;
	markLoss(model, world, webhook);
	world.coverage.byHand(() =>
		what === 'remove' ? service.removeHook(webhook._id) : service.disableHook(webhook._id),
	);
}

/** Marks that a webhook will be missing, and which workflow has to report it. */
function markLoss(model: Model, world: World, webhook: HookView): void {
	const { workflows } = model;
	const isFirstTrouble = !model.disturbed;
	const areOnlyLosses = workflows.some(({ mustReportSince }) => mustReportSince !== undefined);
	model.disturbed = true;
	model.everDisturbed = true;
	const { workflow: index, node } = world.triggerAt(webhook.targetUrl) ?? {};
	const workflow = index === undefined ? undefined : workflows[index];
	if (workflow === undefined || !(isFirstTrouble || areOnlyLosses)) return;
	const isNeeded = expectedWebhooks(model, world, ({ published }) => published).some((expected) =>
		isAsExpected(webhook, expected),
	);
	const reports = node !== undefined && workflow.settings[node]?.reportProblems === true;
	if (isNeeded && reports) workflow.mustReportSince ??= Date.now();
}

/**
 * Suffixes that turn one of our URLs into the target URL of a foreign webhook. The event of another client is not a
 * type, so no trigger selects it.
 */
export const FOREIGN_ENDINGS = [
	'',
	'2?event=paused',
	'/?event=paused',
	'?event=paused&copy=1',
	'?event=ofAnotherClient',
	'?source=paused',
] as const;

/** Another client creates a webhook whose target URL starts like one of ours. */
export const addForeignWebhook = (
	trigger: number,
	ending: (typeof FOREIGN_ENDINGS)[number],
): Step =>
	step({
		kind: 'foreign webhook',
		text: `another client creates a webhook at the URL of trigger ${trigger} + '${ending}'`,
		run: (model, world) => {
			const { workflow, node } = positionOfTrigger(model, trigger);
			const webhookUrl = world.workflow(workflow).triggers[node]?.webhookUrl ?? '';
			const targetUrl = `${webhookUrl}${ending}`;
			const { host, team } = world;
			addForeign(model, host.service.addHook({ targetUrl, type: 'paused', team }));
		},
	});
