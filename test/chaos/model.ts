import type { HookView } from '../service';
import type { Settings } from './settings';

/** What is true of a workflow if everything works. */
export interface WorkflowModel {
	active: boolean;
	/** Of each of its triggers. */
	settings: Settings[];
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
	/** Whether something happened since the last rest that needs a repair, and not merely patience. */
	disturbed: boolean;
	/** Whether requests may still be under way at a slow service. */
	slow: boolean;
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
		listening: false,
		testRunDisturbed: false,
	});
	return { workflows: [workflow(1), workflow(2)], foreign: [], disturbed: false, slow: false };
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
