import type { Fault, HookView } from '../../service';
import { addForeign, disturb, ownOf, positionOfTrigger, type Model } from '../model';
import { expectedWebhooks, isAsExpected } from '../desiredWebhooks';
import type { World } from '../world';
import { Step } from './step';
import { EVENT_OF_ANOTHER_CLIENT } from '../foreignEvent';

/** The maximum delay of a request, in milliseconds: less than half the time n8n takes to start. */
export const MAX_DELAY_MS = 2_000;

/** Whether a fault is more than an outage: if n8n and the node give up because of it, the user must try again. */
export const isRefusal = (fault: Fault): boolean =>
	fault.kind === 'html' ||
	fault.kind === 'brokenJson' ||
	(fault.kind === 'status' && fault.status < 500 && fault.status !== 429);

/** Makes the next matching requests fail. */
export class AddFault extends Step {
	readonly kind = 'fault';

	constructor(private readonly fault: Fault) {
		super();
	}

	protected async carryOut(model: Model, { host }: World): Promise<void> {
		disturb(model);
		if (this.fault.kind === 'delay') model.slow = true;
		model.refusing ||= isRefusal(this.fault);
		host.service.addFault(this.fault);
	}

	toString(): string {
		return `fault at the service: ${JSON.stringify(this.fault)}`;
	}
}

/** The service is unreachable for a while, as during a restart. */
export class TakeServiceDown extends Step {
	readonly kind = 'service down';

	constructor(private readonly forMs: number) {
		super();
	}

	protected async carryOut(model: Model, { proxy }: World): Promise<void> {
		disturb(model);
		proxy.goDownFor(this.forMs);
	}

	toString(): string {
		return `the service goes down for ${this.forMs} ms`;
	}
}

/** Removes or disables one of our webhooks directly at the service. */
export class TamperWithWebhook extends Step {
	readonly kind: string;

	constructor(
		private readonly what: 'remove' | 'disable',
		private readonly index: number,
	) {
		super();
		this.kind = `${what} a webhook`;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		tamper(model, world, this.what, this.index);
	}

	toString(): string {
		return `${this.what} webhook ${this.index} directly at the service`;
	}
}

/** @param index of the webhook among our existing ones, modulo their number */
export function tamper(
	model: Model,
	world: World,
	what: 'remove' | 'disable',
	index: number,
): HookView | undefined {
	const { service } = world.host;
	const own = ownOf(model, world.webhooks);
	const webhook = own[index % Math.max(own.length, 1)];
	if (webhook === undefined) return undefined;
	markLoss(model, world, webhook);
	world.coverage.byHand(() =>
		what === 'remove' ? service.removeHook(webhook._id) : service.disableHook(webhook._id),
	);
	return webhook;
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

/** Suffixes that turn one of our URLs into the target URL of a foreign webhook. */
export const FOREIGN_ENDINGS = [
	'',
	'2?event=paused',
	'/?event=paused',
	'?event=paused&copy=1',
	`?event=${EVENT_OF_ANOTHER_CLIENT}`,
	'?source=paused',
] as const;

/** Another client creates a webhook whose target URL starts like one of ours. */
export class AddForeignWebhook extends Step {
	readonly kind = 'foreign webhook';

	constructor(
		private readonly trigger: number,
		private readonly ending: (typeof FOREIGN_ENDINGS)[number],
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { workflow, node } = positionOfTrigger(model, this.trigger);
		const webhookUrl = world.workflow(workflow).triggers[node]?.webhookUrl ?? '';
		const targetUrl = `${webhookUrl}${this.ending}`;
		const { host, team } = world;
		addForeign(model, host.service.addHook({ targetUrl, type: 'paused', team }));
	}

	toString(): string {
		return `another client creates a webhook at the URL of trigger ${this.trigger} + '${this.ending}'`;
	}
}
