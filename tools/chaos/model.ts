import type { HookView } from '../service';
import type { Settings } from './triggerSettings';

/** Settings that n8n may be using for a trigger, and when, in milliseconds since 1970. */
export interface SettingsPeriod {
	settings: Settings;
	from: number;
	/** Infinity until n8n has reported that it uses newer settings. */
	until: number;
}

/** The expected state of a workflow. */
export interface WorkflowModel {
	active: boolean;
	/** The latest settings of each trigger. */
	settings: Settings[];
	/** All settings of each trigger, oldest first. */
	settingsPeriods: SettingsPeriod[][];
	/**
	 * n8n has reported that the workflow is published with the latest settings, and nobody has changed or deactivated it
	 * since. In this state no failure may remove a webhook.
	 */
	published: boolean;
	/** Whether the workflow is listening for a test event. */
	listening: boolean;
	/** Whether a fault interrupted a test run: the next test run removes what it left behind. */
	testRunDisturbed: boolean;
	/**
	 * Since when the workflow has to report that webhooks were missing, in milliseconds since 1970: something removed or
	 * disabled one that it needs, and nothing else went wrong since the last rest.
	 */
	mustReportSince: number | undefined;
}

/** What the user and other clients have done. It determines which webhooks must exist. */
export interface Model {
	workflows: WorkflowModel[];
	/** Webhooks of other clients, as they were created. */
	foreign: HookView[];
	/** The IDs of all foreign webhooks, including deleted ones. */
	everForeign: Set<string>;
	/** The IDs of foreign webhooks that a user has told n8n to delete or replace. */
	mayBeDeleted: Set<string>;
	/** Whether something since the last rest may need a repair, rather than only time. */
	disturbed: boolean;
	/** Whether that was ever so in this history. */
	everDisturbed: boolean;
	/** Whether delayed requests may still be in progress at the service. */
	slow: boolean;
	/** Whether the service may have rejected a request since the last rest, other than because of an outage. */
	refusing: boolean;
	/** Whether n8n has lost static data since the last rest. */
	staticDataLost: boolean;
	/** Whether n8n is limited to one production execution, and another workflow occupies that slot. */
	busy: boolean;
}

export const INITIAL_SETTINGS: Settings = {
	events: ['paused'],
	customEventTypes: '',
	campaignId: '',
	isFirst: false,
	subscription: 'hookPerEvent',
	verifySecret: true,
	batch: false,
	onlyWhen: false,
	duplicateMemory: 'process',
	reportProblems: true,
};

/** Two active workflows, the second with two triggers. */
export function newModel(): Model {
	const workflow = (triggers: number): WorkflowModel => ({
		active: true,
		settings: Array.from({ length: triggers }, () => INITIAL_SETTINGS),
		settingsPeriods: Array.from({ length: triggers }, () => [periodOf(INITIAL_SETTINGS)]),
		published: false,
		listening: false,
		testRunDisturbed: false,
		mustReportSince: undefined,
	});
	return {
		workflows: [workflow(1), workflow(2)],
		foreign: [],
		everForeign: new Set(),
		mayBeDeleted: new Set(),
		disturbed: false,
		everDisturbed: false,
		slow: false,
		refusing: false,
		staticDataLost: false,
		busy: false,
	};
}

const periodOf = (settings: Settings): SettingsPeriod => ({
	settings,
	from: Date.now(),
	until: Number.POSITIVE_INFINITY,
});

/**
 * Marks a workflow that a user has activated, changed or deactivated. Until n8n reports the result, it may use the old
 * or the new settings, and may call `delete` and `create` at any time (see 'How n8n behaves' in docs/decisions.md).
 */
export function markPending(workflow: WorkflowModel): void {
	workflow.published = false;
	workflow.mustReportSince = undefined;
	for (const [node, settings] of workflow.settings.entries()) {
		workflow.settingsPeriods[node]?.push(periodOf(settings));
	}
}

/** Marks a workflow that n8n has reported as published with the latest settings. */
export function markPublished(workflow: WorkflowModel): void {
	workflow.published = true;
	for (const settingsPeriods of workflow.settingsPeriods) {
		for (const period of settingsPeriods.slice(0, -1))
			period.until = Math.min(period.until, Date.now());
	}
}

/** Marks that something has gone wrong, other than for the webhooks of a workflow alone (`mustReportSince`). */
export function disturb(model: Model): void {
	model.disturbed = true;
	model.everDisturbed = true;
	for (const workflow of model.workflows) workflow.mustReportSince = undefined;
}

/** Records webhooks of other clients. */
export function addForeign(model: Model, ...webhooks: HookView[]): void {
	model.foreign.push(...webhooks);
	for (const { _id } of webhooks) model.everForeign.add(_id);
}

/** The webhooks that belong to our triggers. */
export function ownOf({ foreign }: Model, webhooks: readonly HookView[]): HookView[] {
	const ids = new Set(foreign.map(({ _id }) => _id));
	return webhooks.filter(({ _id }) => !ids.has(_id));
}

/** The position of a trigger, by its index over all workflows. */
export function positionOfTrigger(
	{ workflows }: Model,
	trigger: number,
): { workflow: number; node: number } {
	let node = trigger;
	for (const [workflow, { settings }] of workflows.entries()) {
		if (node < settings.length) return { workflow, node };
		node -= settings.length;
	}
	throw new Error(`No trigger ${trigger}`);
}
