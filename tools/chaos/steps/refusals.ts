import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../host';
import type { Fault } from '../../service';
import { disturb, ownOf, type Model } from '../model';
import type { World } from '../world';
import { isRefusal, tamper } from './service';
import { Step } from './step';

/** Every trigger checks once a minute, each at a different second. */
const CHECK_MS = 62_000;
/** A check has finished once it has sent no request for this long. */
const QUIET_MS = 4_000;

/** Waits until every trigger has finished a check. */
async function nextCheck(world: World): Promise<void> {
	await pause(CHECK_MS);
	await waitFor(
		'the requests of the checks to end',
		() => performance.now() - (world.requests.at(-1)?.at ?? 0),
		(quietMs) => quietMs > QUIET_MS,
		{ timeoutMs: 30_000 },
	).catch(() => undefined);
}

/** How the service fails each request to remove one of our webhooks. */
export type Refusal = { kind: 'status'; status: number } | { kind: 'cut' };

/** The service refuses to remove one webhook. That webhook and others may also be disabled. */
export class RefuseRemoval extends Step {
	readonly kind = 'refuse a removal';

	constructor(
		private readonly index: number,
		private readonly refusal: Refusal,
		private readonly times: number,
		/** How many webhooks to disable, starting with the one that cannot be removed. */
		private readonly disabled: number,
		private readonly waitsForCheck: boolean,
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		const own = ownOf(model, world.webhooks);
		const webhook = own[this.index % Math.max(own.length, 1)];
		if (webhook === undefined) return;
		disturb(model);
		const fault: Fault = {
			...this.refusal,
			match: { method: 'DELETE', path: `/hooks/${webhook._id}` },
			times: this.times,
		};
		model.refusing ||= isRefusal(fault);
		world.host.service.addFault(fault);
		for (let count = 0; count < Math.min(this.disabled, own.length); count++) {
			tamper(model, world, 'disable', this.index + count);
		}
		if (this.waitsForCheck) await nextCheck(world);
	}

	toString(): string {
		const { index, times, disabled, refusal } = this;
		const how = refusal.kind === 'cut' ? 'cuts off' : `responds with ${refusal.status} to`;
		return [
			`the service ${how} ${times} removals of webhook ${index}`,
			...(disabled === 0 ? [] : [`and disables ${disabled} webhooks, starting with it`]),
			...(this.waitsForCheck ? ['and the triggers check'] : []),
		].join(', ');
	}
}

/** The team reaches or nearly reaches its maximum number of webhooks. One may also be disabled. */
export class LimitWebhooks extends Step {
	readonly kind = 'webhook limit';

	constructor(
		/** How many more webhooks the team may have. */
		private readonly room: number,
		private readonly disabled: number | undefined,
	) {
		super();
	}

	protected async carryOut(model: Model, world: World): Promise<void> {
		disturb(model);
		model.refusing = true;
		world.host.service.setSwitches({ maxHooks: Math.max(1, world.webhooks.length + this.room) });
		if (this.disabled !== undefined) tamper(model, world, 'disable', this.disabled);
	}

	toString(): string {
		const { room, disabled } = this;
		return `the service allows ${room} more webhooks${disabled === undefined ? '' : `, and disables webhook ${disabled}`}`;
	}
}

/** Waits for a check, with all current faults. */
export class WaitForCheck extends Step {
	readonly kind = 'check';

	protected async carryOut(_model: Model, world: World): Promise<void> {
		await nextCheck(world);
	}

	toString(): string {
		return 'wait until every trigger has checked its webhooks';
	}
}
