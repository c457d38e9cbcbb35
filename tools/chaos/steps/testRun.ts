import { N8nRequestError, waitFor } from '../../host';
import type { Model } from '../model';
import type { World } from '../world';
import { Step, workflowOf } from './step';

/** How long n8n may take to end a test run. */
const END_MS = 3_000;

/** 'Listen for test event' beside whatever the workflow does. */
export class Listen extends Step {
	readonly kind = 'listen';

	constructor(private readonly workflow: number) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return !workflowOf(model, this.workflow).listening;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const workflow = workflowOf(model, this.workflow);
		workflow.testRunDisturbed ||= model.disturbed;
		workflow.listening = await listen(world, this.workflow);
	}

	toString(): string {
		return `listen for a test event of workflow ${this.workflow}`;
	}
}

export class StopListening extends Step {
	readonly kind = 'stop listening';

	constructor(private readonly workflow: number) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return workflowOf(model, this.workflow).listening;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const workflow = workflowOf(model, this.workflow);
		workflow.testRunDisturbed ||= model.disturbed;
		workflow.listening = false;
		await world.host.server.client.stopListening(world.workflow(this.workflow).id);
	}

	toString(): string {
		return `stop listening for a test event of workflow ${this.workflow}`;
	}
}

/** @returns whether n8n listens now; with a service that refuses, it tells the user why it does not. */
export async function listen(world: World, place: number): Promise<boolean> {
	const { id, triggers } = world.workflow(place);
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

/** Ends the test runs; one that was cut off is begun again and ended in peace. */
export async function removeTestRuns(model: Model, world: World): Promise<void> {
	for (const [place, workflow] of model.workflows.entries()) {
		const { id, triggers } = world.workflow(place);
		const { client } = world.host.server;
		if (workflow.listening) await client.stopListening(id);
		const isLeft = () =>
			world.hooks.some(({ targetUrl }) =>
				triggers.some(({ testAddress }) => targetUrl.startsWith(`${testAddress}?`)),
			);
		const isGone = await waitFor('the end of the test run', isLeft, (left) => !left, {
			timeoutMs: END_MS,
		}).then(
			() => true,
			() => false,
		);
		if (!isGone && workflow.testRunDisturbed) {
			await listen(world, place);
			await client.stopListening(id);
		}
		workflowOf(model, place).listening = false;
		workflowOf(model, place).testRunDisturbed = false;
	}
}
