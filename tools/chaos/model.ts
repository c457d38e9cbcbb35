import type { HookView } from '../service';
import type { Settings } from './settings';

/** Settings that n8n may be using for a trigger, and when; milliseconds since 1970. */
export interface Reign {
	settings: Settings;
	from: number;
	/** Infinity until n8n has reported that it uses newer ones. */
	until: number;
}

/** What is true of a workflow if everything works. */
export interface WorkflowModel {
	active: boolean;
	/** Of each of its triggers. */
	settings: Settings[];
	/** Of each of its triggers, oldest first. */
	reigns: Reign[][];
	/**
	 * n8n has reported that the workflow is published with these settings, and nobody has changed or deactivated it
	 * since. From here on, no failure may take a webhook away.
	 */
	steady: boolean;
	/** Waits for a test event. */
	listening: boolean;
	/** A test run was cut off or disturbed: what it left is removed by the next one. */
	testRunDisturbed: boolean;
}

/** What a user has asked for, and what others have done: from this follows which webhooks there must be. */
export interface Model {
	workflows: WorkflowModel[];
	/** Somebody else's webhooks, as they were made. */
	foreign: HookView[];
	/** The IDs of all webhooks that were ever somebody else's. */
	everForeign: Set<string>;
	/** Those of them that a user told n8n to delete or to replace. */
	mayBeDeleted: Set<string>;
	/** Whether something happened since the last rest that needs a repair, and not merely patience. */
	disturbed: boolean;
	/** Whether requests may still be under way at a slow service. */
	slow: boolean;
	/** Whether the service may have refused something since the last rest, which is no outage. */
	refusing: boolean;
	/** Whether n8n lost its static data since the last rest. */
	forgotten: boolean;
	/** Whether a user rotated the secret of a trigger's own webhook since the last rest. */
	rotatedOwn: boolean;
	/** Whether n8n runs one production execution at a time, and another workflow holds that slot. */
	busy: boolean;
}

export const PLAIN: Settings = {
	events: ['paused'],
	customEventTypes: '',
	campaignId: '',
	isFirst: false,
	subscription: 'hookPerEvent',
	verifySecret: true,
};

/** Two workflows are active; the second one has two triggers. */
export function newModel(): Model {
	const workflow = (triggers: number): WorkflowModel => ({
		active: true,
		settings: Array.from({ length: triggers }, () => PLAIN),
		reigns: Array.from({ length: triggers }, () => [reignOf(PLAIN)]),
		steady: false,
		listening: false,
		testRunDisturbed: false,
	});
	return {
		workflows: [workflow(1), workflow(2)],
		foreign: [],
		everForeign: new Set(),
		mayBeDeleted: new Set(),
		disturbed: false,
		slow: false,
		refusing: false,
		forgotten: false,
		rotatedOwn: false,
		busy: false,
	};
}

const reignOf = (settings: Settings): Reign => ({
	settings,
	from: Date.now(),
	until: Number.POSITIVE_INFINITY,
});

/**
 * A user has n8n publish or take back a workflow: until n8n reports on it, it may use the old settings or the new ones,
 * and calls `delete` and `create` as it likes (see 'How n8n behaves' in docs/decisions.md).
 */
export function unsettle(workflow: WorkflowModel): void {
	workflow.steady = false;
	for (const [node, settings] of workflow.settings.entries()) {
		workflow.reigns[node]?.push(reignOf(settings));
	}
}

/** n8n has reported that it uses the newest settings. */
export function settle(workflow: WorkflowModel): void {
	workflow.steady = true;
	for (const reigns of workflow.reigns) {
		for (const reign of reigns.slice(0, -1)) reign.until = Math.min(reign.until, Date.now());
	}
}

/** Somebody else's webhook has appeared. */
export function addForeign(model: Model, ...hooks: HookView[]): void {
	model.foreign.push(...hooks);
	for (const { _id } of hooks) model.everForeign.add(_id);
}

/** The webhooks that are the triggers' own. */
export function ownOf({ foreign }: Model, hooks: readonly HookView[]): HookView[] {
	const ids = new Set(foreign.map(({ _id }) => _id));
	return hooks.filter(({ _id }) => !ids.has(_id));
}

/** The workflow and its place in it of a trigger, counted over all workflows. */
export function placeOfTrigger(
	{ workflows }: Model,
	trigger: number,
): { workflow: number; node: number } {
	let node = trigger;
	for (const [workflow, { settings }] of workflows.entries()) {
		if (node < settings.length) return { workflow, node };
		node -= settings.length;
	}
	throw new Error(`There is no trigger ${trigger}`);
}
