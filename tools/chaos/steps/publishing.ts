import { markPending, positionOfTrigger } from '../model';
import { describeSettings, type Settings } from '../triggerSettings';
import { listed, step, workflowOf, type Step } from './step';

// A user waits until n8n has finished, or continues immediately.

/** Activates or deactivates a workflow. */
export const setActive = (isActive: boolean, index: number, waits: boolean): Step =>
	step({
		kind: isActive ? 'activate' : 'deactivate',
		text: listed(
			`${isActive ? 'activate' : 'deactivate'} workflow ${index}`,
			waits && 'and wait for n8n',
		),
		isPossible: (model) => workflowOf(model, index).active !== isActive,
		run: async (model, world) => {
			const workflow = workflowOf(model, index);
			const { client } = world.host.server;
			const { id } = world.workflow(index);
			workflow.active = isActive;
			markPending(workflow);
			await (isActive ? client.activateWorkflow(id) : client.deactivateWorkflow(id));
			if (waits) await world.settled();
		},
	});

/** Changes a trigger's settings. In an active workflow they are published immediately. */
export const change = (trigger: number, settings: Settings, waits: boolean): Step =>
	step({
		kind: 'change',
		text: listed(
			`change trigger ${trigger} to ${describeSettings(settings)}`,
			waits && 'and wait for n8n',
		),
		run: async (model, world) => {
			const { workflow, node } = positionOfTrigger(model, trigger);
			const changed = workflowOf(model, workflow);
			changed.settings[node] = settings;
			if (changed.active) markPending(changed);
			await world.change(workflow, node, settings);
			if (!changed.active) return;
			await world.host.server.client.activateWorkflow(world.workflow(workflow).id);
			if (waits) await world.settled();
		},
	});
