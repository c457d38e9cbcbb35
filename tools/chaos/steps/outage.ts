import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../host';
import type { Fault } from '../../service';
import { ownOf, type Model } from '../model';
import type { World } from '../world';
import { isRefusal, tamper } from './service';
import { Step } from './step';

/** The triggers check every minute, each at a second of its own. */
const CHECK_MS = 62_000;
/** The longest time that a check goes on after its list. */
const QUIET_MS = 4_000;

/** Waits until every trigger had time for a check, and those have ended. */
async function nextCheck(world: World): Promise<void> {
	await pause(CHECK_MS);
	await waitFor(
		'the requests of the checks to end',
		() => performance.now() - (world.requests.at(-1)?.at ?? 0),
		(quietMs) => quietMs > QUIET_MS,
		{ timeoutMs: 30_000 },
	).catch(() => undefined);
}

/** What the service does with each request to remove one webhook of ours. */
export type Refusal = { kind: 'status'; status: number } | { kind: 'cut' };

/** The service refuses to remove one webhook; it and others may have been disabled before. */
export class RefuseRemoval extends Step {
	readonly kind = 'refuse a removal';

	constructor(
		private readonly place: number,
		private readonly refusal: Refusal,
		private readonly times: number,
		/** How many webhooks are disabled, the one that cannot be removed first. */
		private readonly disabled: number,
		private readonly isChecked: boolean,
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const own = ownOf(model, world.hooks);
		const hook = own[this.place % Math.max(own.length, 1)];
		if (hook === undefined) return;
		model.disturbed = true;
		const fault: Fault = {
			...this.refusal,
			match: { method: 'DELETE', path: `/hooks/${hook._id}` },
			times: this.times,
		};
		model.refusing ||= isRefusal(fault);
		world.host.service.addFault(fault);
		for (let count = 0; count < Math.min(this.disabled, own.length); count++) {
			tamper(model, world, 'disable', this.place + count);
		}
		if (this.isChecked) await nextCheck(world);
	}

	toString(): string {
		const { place, times, disabled, refusal } = this;
		const how = refusal.kind === 'cut' ? 'cuts off' : `answers ${refusal.status} to`;
		return [
			`the service ${how} ${times} removals of webhook ${place}`,
			...(disabled === 0 ? [] : [`and disables ${disabled} webhooks from it on`]),
			...(this.isChecked ? ['and the triggers check'] : []),
		].join(', ');
	}
}

/** The team has as many webhooks as it may have, or nearly so. One may be disabled. */
export class LimitHooks extends Step {
	readonly kind = 'webhook limit';

	constructor(
		/** How many more webhooks the team may have. */
		private readonly room: number,
		private readonly disabled: number | undefined,
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		model.disturbed = true;
		model.refusing = true;
		world.host.service.setSwitches({ maxHooks: Math.max(1, world.hooks.length + this.room) });
		if (this.disabled !== undefined) tamper(model, world, 'disable', this.disabled);
	}

	toString(): string {
		const { room, disabled } = this;
		return `the service allows ${room} webhooks more than there are${disabled === undefined ? '' : `, and disables webhook ${disabled}`}`;
	}
}

/** Time goes by, with whatever is wrong at the service. */
export class LetCheck extends Step {
	readonly kind = 'check';

	protected async carryOut(_model: Model, world: World): Promise<void> {
		await nextCheck(world);
	}

	toString(): string {
		return 'a minute goes by, and every trigger checks its webhooks';
	}
}
