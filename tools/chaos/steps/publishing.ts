import { positionOfTrigger, markPending, type Model } from '../model';
import { describeSettings, type Settings } from '../triggerSettings';
import type { World } from '../world';
import { Step, workflowOf } from './step';

/** Whether the user waits until n8n has finished, or continues immediately. */
const describeWait = (waits: boolean) => (waits ? ', and wait for n8n' : '');

export class Activate extends Step {
	readonly kind = 'activate';

	constructor(
		private readonly workflow: number,
		private readonly waits: boolean,
	) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return !workflowOf(model, this.workflow).active;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const workflow = workflowOf(model, this.workflow);
		workflow.active = true;
		markPending(workflow);
		await world.host.server.client.activateWorkflow(world.workflow(this.workflow).id);
		if (this.waits) await world.settled();
	}

	toString(): string {
		return `activate workflow ${this.workflow}${describeWait(this.waits)}`;
	}
}

export class Deactivate extends Step {
	readonly kind = 'deactivate';

	constructor(
		private readonly workflow: number,
		private readonly waits: boolean,
	) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return workflowOf(model, this.workflow).active;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const workflow = workflowOf(model, this.workflow);
		workflow.active = false;
		markPending(workflow);
		await world.host.server.client.deactivateWorkflow(world.workflow(this.workflow).id);
		if (this.waits) await world.settled();
	}

	toString(): string {
		return `deactivate workflow ${this.workflow}${describeWait(this.waits)}`;
	}
}

/** Changes a trigger's settings. In an active workflow they are published immediately. */
export class Change extends Step {
	readonly kind = 'change';

	constructor(
		private readonly trigger: number,
		private readonly settings: Settings,
		private readonly waits: boolean,
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { workflow, node } = positionOfTrigger(model, this.trigger);
		const changed = workflowOf(model, workflow);
		changed.settings[node] = this.settings;
		if (changed.active) markPending(changed);
		await world.change(workflow, node, this.settings);
		if (!changed.active) return;
		await world.host.server.client.activateWorkflow(world.workflow(workflow).id);
		if (this.waits) await world.settled();
	}

	toString(): string {
		return `change trigger ${this.trigger} to ${describeSettings(this.settings)}${describeWait(this.waits)}`;
	}
}
