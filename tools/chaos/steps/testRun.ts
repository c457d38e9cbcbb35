import { N8nRequestError, waitFor } from '../../host';
import type { Model } from '../model';
import type { World } from '../world';
import { step, workflowOf, type Step } from './step';

/** The maximum time n8n takes to end a test run. */
const END_MS = 3_000;

/** Listens for a test event, in addition to the active workflow. */
export const startListening = (index: number): Step =>
	step({
		kind: 'listen',
		text: `listen for a test event of workflow ${index}`,
		isPossible: (model) => !workflowOf(model, index).listening,
		run: async (model, world) => {
			const workflow = workflowOf(model, index);
			workflow.testRunDisturbed ||= model.disturbed;
			workflow.listening = await listen(world, index);
		},
	});

export const stopListening = (index: number): Step =>
	step({
		kind: 'stop listening',
		text: `stop listening for a test event of workflow ${index}`,
		isPossible: (model) => workflowOf(model, index).listening,
		run: async (model, world) => {
			const workflow = workflowOf(model, index);
			workflow.testRunDisturbed ||= model.disturbed;
			workflow.listening = false;
			await world.host.server.client.stopListening(world.workflow(index).id);
		},
	});

/** @returns whether n8n is listening; false if n8n reports an error because the service rejected a request */
async function listen(world: World, index: number): Promise<boolean> {
	const { id, triggers } = world.workflow(index);
	const [first] = triggers;
	if (first === undefined) return false;
	try {
		const { waitingForWebhook } = await world.host.server.client.runWorkflow(id, first.name);
		return waitingForWebhook === true;
	} catch (error) {
		if (error instanceof N8nRequestError) return false;
		throw error;
	}
}

/** Ends all test runs. One that was interrupted is restarted and ended without faults. */
export async function removeTestRuns(model: Model, world: World): Promise<void> {
	for (const [index, workflow] of model.workflows.entries()) {
		const { id, triggers } = world.workflow(index);
		const { client } = world.host.server;
		if (workflow.listening) await client.stopListening(id);
		const hasWebhook = () =>
			world.webhooks.some(({ targetUrl }) =>
				triggers.some(({ testUrl }) => targetUrl.startsWith(`${testUrl}?`)),
			);
		const isRemoved = await waitFor('the end of the test run', hasWebhook, (has) => !has, {
			timeoutMs: END_MS,
		}).then(
			() => true,
			() => false,
		);
		if (!isRemoved && workflow.testRunDisturbed) {
			await listen(world, index);
			await client.stopListening(id);
		}
		workflow.listening = false;
		workflow.testRunDisturbed = false;
	}
}
