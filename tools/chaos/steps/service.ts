import type { Fault, HookView } from '../../service';
import { addForeign, ownOf, placeOfTrigger, type Model } from '../model';
import type { World } from '../world';
import { Step } from './step';

/** No request is held back for longer, in milliseconds: a start of n8n takes more than twice as long. */
export const LONGEST_DELAY_MS = 2_000;

/** Whether a fault is more than an outage: what n8n and the node give up after it, a user has to do again. */
export const isRefusal = (fault: Fault): boolean =>
	fault.kind === 'html' ||
	fault.kind === 'brokenJson' ||
	(fault.kind === 'status' && fault.status < 500 && fault.status !== 429);

/** Makes the next requests go wrong. */
export class AddFault extends Step {
	readonly kind = 'fault';

	constructor(private readonly fault: Fault) {
		super();
	}

	protected async carryOut(model: Model, { host }: World): Promise<void> {
		model.disturbed = true;
		if (this.fault.kind === 'delay') model.slow = true;
		model.refusing ||= isRefusal(this.fault);
		host.service.addFault(this.fault);
	}

	toString(): string {
		return `fault at the service: ${JSON.stringify(this.fault)}`;
	}
}

/** The service restarts: for a while nothing answers. */
export class CloseDoor extends Step {
	readonly kind = 'service down';

	constructor(private readonly forMs: number) {
		super();
	}

	protected async carryOut(model: Model, { door }: World): Promise<void> {
		model.disturbed = true;
		door.closeFor(this.forMs);
	}

	toString(): string {
		return `the service goes down for ${this.forMs} ms`;
	}
}

/** Somebody removes or disables a webhook of ours. */
export class TamperWithHook extends Step {
	readonly kind: string;

	constructor(
		private readonly what: 'remove' | 'disable',
		private readonly place: number,
	) {
		super();
		this.kind = `${what} a hook`;
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		tamper(model, world, this.what, this.place);
	}

	toString(): string {
		return `${this.what} hook ${this.place} at the service by hand`;
	}
}

/** @param place among those of ours that are there, counted round and round. */
export function tamper(
	model: Model,
	world: World,
	what: 'remove' | 'disable',
	place: number,
): HookView | undefined {
	const { service } = world.host;
	const own = ownOf(model, world.hooks);
	const hook = own[place % Math.max(own.length, 1)];
	if (hook === undefined) return undefined;
	model.disturbed = true;
	world.coverage.byHand(() =>
		what === 'remove' ? service.removeHook(hook._id) : service.disableHook(hook._id),
	);
	return hook;
}

/** What somebody else's address may look like that begins like ours: after it comes one of these. */
export const FOREIGN_ENDINGS = [
	'',
	'2?event=paused',
	'/?event=paused',
	'?event=paused&copy=1',
	'?event=somebodyElses',
	'?source=paused',
] as const;

/** Somebody else makes a webhook whose address begins like one of ours. */
export class AddForeignHook extends Step {
	readonly kind = 'foreign hook';

	constructor(
		private readonly trigger: number,
		private readonly ending: (typeof FOREIGN_ENDINGS)[number],
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const { workflow, node } = placeOfTrigger(model, this.trigger);
		const address = world.workflow(workflow).triggers[node]?.address ?? '';
		const targetUrl = `${address}${this.ending}`;
		const { host, team } = world;
		addForeign(model, host.service.addHook({ targetUrl, type: 'paused', team }));
	}

	toString(): string {
		return `somebody else makes a hook at the address of trigger ${this.trigger} + '${this.ending}'`;
	}
}
