import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../host';
import { disturb, ownOf } from '../model';
import type { World } from '../world';
import { applyFault, ownWebhook, tamper } from './service';
import { listed, step, type Step } from './step';

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

/**
 * The service refuses to remove one webhook, several times.
 *
 * @param disabled how many webhooks to disable, starting with the one that cannot be removed
 */
export function refuseRemoval(
	index: number,
	refusal: Refusal,
	times: number,
	disabled: number,
	waitsForCheck: boolean,
): Step {
	const how = refusal.kind === 'cut' ? 'cuts off' : `responds with ${refusal.status} to`;
	return step({
		kind: 'refuse a removal',
		text: listed(
			`the service ${how} ${times} removals of webhook ${index}`,
			disabled > 0 && `and disables ${disabled} webhooks, starting with it`,
			waitsForCheck && 'and the triggers check',
		),
		run: async (model, world) => {
			const webhook = ownWebhook(model, world, index);
			if (webhook === undefined) return;
			disturb(model);
			const match = { method: 'DELETE', path: `/hooks/${webhook._id}` } as const;
			applyFault(model, world, { ...refusal, match, times });
			const count = ownOf(model, world.webhooks).length;
			for (let offset = 0; offset < Math.min(disabled, count); offset++) {
				tamper(model, world, 'disable', index + offset);
			}
			if (waitsForCheck) await nextCheck(world);
		},
	});
}

/**
 * The team reaches or nearly reaches its maximum number of webhooks. One may also be disabled.
 *
 * @param room how many more webhooks the team may have
 */
export const limitWebhooks = (room: number, disabled: number | undefined): Step =>
	step({
		kind: 'webhook limit',
		text: listed(
			`the service allows ${room} more webhooks`,
			disabled !== undefined && `and disables webhook ${disabled}`,
		),
		run: (model, world) => {
			disturb(model);
			model.refusing = true;
			world.host.service.setSwitches({ maxHooks: Math.max(1, world.webhooks.length + room) });
			if (disabled !== undefined) tamper(model, world, 'disable', disabled);
		},
	});

/** Waits for a check, with all current faults. */
export const waitForCheck = (): Step =>
	step({
		kind: 'check',
		text: 'wait until every trigger has checked its webhooks',
		run: async (_model, world) => {
			await nextCheck(world);
		},
	});
