import { placeOfTrigger, unsettle, type Model } from '../model';
import { describeSettings, type Settings } from '../settings';
import type { World } from '../world';
import { Step, workflowOf } from './step';

/** Whether the user waits until n8n is done, or goes on at once. */
const patience = (isPatient: boolean) => (isPatient ? ', and wait for n8n' : '');

export class Activate extends Step {
	readonly kind = 'activate';

	constructor(
		private readonly workflow: number,
		private readonly isPatient: boolean,
	) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return !workflowOf(model, this.workflow).active;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const workflow = workflowOf(model, this.workflow);
		workflow.active = true;
		unsettle(workflow);
		await world.host.server.client.activateWorkflow(world.workflow(this.workflow).id);
		if (this.isPatient) await world.settled();
	}

	toString(): string {
		return `activate workflow ${this.workflow}${patience(this.isPatient)}`;
	}
}

export class Deactivate extends Step {
	readonly kind = 'deactivate';

	constructor(
		private readonly workflow: number,
		private readonly isPatient: boolean,
	) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return workflowOf(model, this.workflow).active;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const workflow = workflowOf(model, this.workflow);
		workflow.active = false;
		unsettle(workflow);
		await world.host.server.client.deactivateWorkflow(world.workflow(this.workflow).id);
		if (this.isPatient) await world.settled();
	}

	toString(): string {
		return `deactivate workflow ${this.workflow}${patience(this.isPatient)}`;
	}
}

/** Other settings for a trigger. In an active workflow they are published at once. */
export class Change extends Step {
	readonly kind = 'change';

	constructor(
		private readonly trigger: number,
		private readonly settings: Settings,
		private readonly isPatient: boolean,
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { workflow, node } = placeOfTrigger(model, this.trigger);
		const changed = workflowOf(model, workflow);
		changed.settings[node] = this.settings;
		if (changed.active) unsettle(changed);
		await world.change(workflow, node, this.settings);
		if (!changed.active) return;
		await world.host.server.client.activateWorkflow(world.workflow(workflow).id);
		if (this.isPatient) await world.settled();
	}

	toString(): string {
		return `change trigger ${this.trigger} to ${describeSettings(this.settings)}${patience(this.isPatient)}`;
	}
}
