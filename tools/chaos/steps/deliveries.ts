import { newActivityId } from '../deliveries';
import type { Model } from '../model';
import type { World } from '../world';
import { ONE_AT_A_TIME } from '../onlySlot';
import { Step } from './step';

/** How the service sends; times in milliseconds. */
export interface Sending {
	types: string[];
	/** Whether all types are of one activity, as with a reply that also warms a lead. */
	isOneActivity: boolean;
	/** How many copies each webhook gets at the same moment. */
	copies: number;
	/** How long the sender waits for a response before it disconnects. */
	timeoutMs: number;
	redeliveries: number;
	redeliveryDelayMs: number;
	/** Whether the sender waits for all outcomes before anything else happens. */
	isPatient: boolean;
}

/** Events happen, and the service delivers them. */
export class Send extends Step {
	readonly kind = 'send events';

	constructor(private readonly sending: Sending) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { types, isOneActivity, copies, isPatient } = this.sending;
		const { timeoutMs, redeliveries, redeliveryDelayMs } = this.sending;
		world.host.service.setSwitches({
			deliveryTimeoutMs: timeoutMs,
			redeliveries,
			redeliveryDelayMs,
			redeliveryFactor: 1,
		});
		// A test event ends the test run.
		for (const workflow of model.workflows) {
			workflow.testRunDisturbed ||= workflow.listening && model.disturbed;
		}
		const id = newActivityId();
		const sent = types.map((type) =>
			world.deliveries.send(type, { copies, ...(isOneActivity && { id }) }),
		);
		if (isPatient) await Promise.all(sent);
	}

	toString(): string {
		const { types, isOneActivity, copies, isPatient } = this.sending;
		const { timeoutMs, redeliveries, redeliveryDelayMs } = this.sending;
		return [
			`send ${isOneActivity ? 'one activity as ' : ''}${types.join(' + ')}`,
			...(copies === 1 ? [] : [`${copies} copies at once`]),
			`disconnect after ${timeoutMs} ms`,
			...(redeliveries === 0
				? []
				: [`up to ${redeliveries} times again after ${redeliveryDelayMs} ms`]),
			...(isPatient ? ['and wait for the outcome'] : []),
		].join(', ');
	}
}

/** Another workflow runs for a long time in an n8n that runs one production execution at a time. */
export class OccupyN8n extends Step {
	readonly kind = 'occupy n8n';

	/** @param forMs how long it runs at least before a rest ends it */
	constructor(private readonly forMs: number) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return !model.busy;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		if (!world.slot.isOnly) {
			model.disturbed = true;
			for (const workflow of model.workflows) {
				workflow.testRunDisturbed ||= workflow.listening;
				workflow.listening = false;
			}
			await world.restart('stop', { env: ONE_AT_A_TIME });
			world.slot.isOnly = true;
		}
		model.busy = true;
		await world.slot.take(this.forMs);
	}

	toString(): string {
		return `n8n runs one execution at a time, and another workflow holds the slot${this.forMs === 0 ? '' : ` for ${this.forMs} ms at least`}`;
	}
}

/** The other workflow ends. */
export class FreeN8n extends Step {
	readonly kind = 'free n8n';

	protected override isPossible(model: Model): boolean {
		return model.busy;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		model.busy = false;
		world.slot.free();
	}

	toString(): string {
		return 'the other workflow ends, and the slot is free';
	}
}
