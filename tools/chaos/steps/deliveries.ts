import { newActivityId } from '../deliveries';
import { disturb, type Model } from '../model';
import type { World } from '../world';
import { ONE_AT_A_TIME } from '../executionSlot';
import { Step } from './step';

/** How the service delivers events; times in milliseconds. */
export interface Sending {
	types: string[];
	/** Whether all types belong to one activity, as for a reply that also warms a lead. */
	isOneActivity: boolean;
	/** How many copies each webhook receives at the same time. */
	copies: number;
	/** How long the sender waits for a response before it disconnects. */
	timeoutMs: number;
	redeliveries: number;
	redeliveryDelayMs: number;
	/** Whether to wait for all outcomes before the next step. */
	waits: boolean;
}

/** The service delivers events. */
export class Send extends Step {
	readonly kind = 'send events';

	constructor(private readonly sending: Sending) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { types, isOneActivity, copies, waits } = this.sending;
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
		if (waits) await Promise.all(sent);
	}

	toString(): string {
		const { types, isOneActivity, copies, waits } = this.sending;
		const { timeoutMs, redeliveries, redeliveryDelayMs } = this.sending;
		return [
			`send ${isOneActivity ? 'one activity as ' : ''}${types.join(' + ')}`,
			...(copies === 1 ? [] : [`${copies} simultaneous copies`]),
			`disconnect after ${timeoutMs} ms`,
			...(redeliveries === 0
				? []
				: [`up to ${redeliveries} retries after ${redeliveryDelayMs} ms`]),
			...(waits ? ['and wait for the outcome'] : []),
		].join(', ');
	}
}

/** Limits n8n to one production execution, and occupies that slot with another workflow. */
export class OccupyN8n extends Step {
	readonly kind = 'occupy n8n';

	/** @param forMs the minimum time before a rest frees the slot */
	constructor(private readonly forMs: number) {
		super();
	}

	protected override isPossible(model: Model): boolean {
		return !model.busy;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		if (!world.slot.isOnly) {
			disturb(model);
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
		return `n8n runs one execution at a time, and another workflow occupies the slot${this.forMs === 0 ? '' : ` for at least ${this.forMs} ms`}`;
	}
}

/** The other workflow finishes. */
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
		return 'the other workflow finishes and frees the slot';
	}
}
