import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { createHash } from 'crypto';

import { readCredential } from '../transport/credential';
import { settle } from '../transport/settle';
import { listWebhooks } from '../transport/webhooks';
import { applyPlan } from './apply';
import { exclusively, activeNode, setActive, type ActiveNode } from '../runtime/activeNodes';
import type { RegisteredWebhook } from '../model/registration';
import { planRegistration } from './plan';
import { deriveSecret, digestOf } from './secret';
import { readSelection } from './selection';

/** A number that is always the same for a node, and different for others: it spreads the checks in time. */
export function spread(id: string, range: number): number {
	return createHash('sha256').update(id).digest().readUInt32BE(0) % range;
}

/** Whether a node's check is due in the minute in which `now` (milliseconds) lies. */
export function isDue(id: string, everyMinutes: number, now: number): boolean {
	const minute = Math.floor(now / 60_000);
	return everyMinutes >= 1 && (minute + spread(id, everyMinutes)) % everyMinutes === 0;
}

/**
 * Looks every few minutes whether the node's webhooks still exist, and restores them (D18). n8n runs this on the
 * one process that leads. The start of n8n needs no look of its own: n8n calls `checkExists` then.
 */
export function watch(ctx: ITriggerFunctions): ITriggerResponse {
	const { repairMinutes } = readSelection(ctx);
	const every = Math.ceil(repairMinutes);
	if (every === 0 || ctx.getMode() === 'manual') return {};
	const id = `${ctx.getWorkflow().id ?? ''}/${ctx.getNode().id}`;
	let active = true;
	// Every minute at a second of its own; a cron expression could not say 'every 7 minutes, beginning at the third'.
	ctx.helpers.registerCron({ expression: `${spread(id, 60)} * * * * *` }, () => {
		if (active && isDue(id, every, Date.now())) void repair(ctx);
	});
	return {
		closeFunction: async () => {
			active = false;
		},
	};
}

/** Webhooks that only a repair knows are believed under the current key alone: after a new key they are renewed. */
async function stillBelieved(
	ctx: ITriggerFunctions,
	live: ActiveNode,
): Promise<RegisteredWebhook[]> {
	if (live.unsaved.size === 0) return live.hooks;
	const { apiKey } = await readCredential(ctx);
	return live.hooks.filter(
		({ id, digest, targetUrl }) =>
			!live.unsaved.has(id) || digest === digestOf(deriveSecret(apiKey, targetUrl)),
	);
}

/**
 * One check: one GET when all is well. A failure is logged and changes nothing; the next check tries again.
 * Only webhooks that were registered in this process are looked after, so a workflow whose activation failed, or
 * that was just deactivated, stays as it is.
 */
export async function repair(ctx: ITriggerFunctions): Promise<void> {
	const result = await settle(
		exclusively(ctx, async () => {
			const live = activeNode(ctx);
			if (!live) return;
			const listed = await listWebhooks(ctx);
			const remembered = await stillBelieved(ctx, live);
			const plan = planRegistration({ ...live, wanted: live.desired, listed, remembered });
			const hooks = await applyPlan(ctx, plan, listed);
			if (plan.create.length + plan.remove.length === 0) return;
			const before = new Set(live.hooks.map(({ id }) => id));
			const made = hooks.filter(({ id }) => !before.has(id)).map(({ id }) => id);
			setActive(ctx, { ...live, hooks, unsaved: new Set([...live.unsaved, ...made]) });
			ctx.logger.warn(
				`Restored the webhooks of "${ctx.getNode().name}" at the service: ${made.length} created again, ${plan.remove.length} removed.`,
				{ workflowId: ctx.getWorkflow().id, events: plan.create.map(({ event }) => event) },
			);
		}),
	);
	if (result.ok) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be checked: ${result.error.message}. The next check is in a few minutes.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}
