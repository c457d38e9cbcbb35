import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { createHash } from 'crypto';

import type { RegisteredWebhook } from '../../model/registration';
import {
	activeNode,
	beginRepair,
	cancelRepair,
	exclusively,
	hooksOfOthers,
	nodeKey,
	setActive,
	watching,
	type ActiveNode,
} from '../../runtime/activeNodes';
import { readCredential } from '../../api/credential';
import { settle } from '../../utils/settle';
import { listWebhooks } from '../../api/webhooks';
import { applyPlan, type Applied } from '../reconcile/apply';
import { planRegistration } from '../reconcile/plan';
import { leftoversOf } from './register';
import { deriveSecret, digestOf } from '../state/secret';
import { readSelection } from '../parameters';

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
 * Checks every few minutes whether the node's webhooks still exist, and restores them (D18); every minute while an
 * earlier change has left something to do, also when the repair interval is 0. n8n runs this on the one process that
 * leads. The start of n8n needs no check of its own: n8n calls `checkExists` then.
 */
export function watch(ctx: ITriggerFunctions): ITriggerResponse {
	const { repairMinutes } = readSelection(ctx);
	if (ctx.getMode() === 'manual') return {};
	const id = nodeKey(ctx);
	const every = Math.ceil(repairMinutes);
	const closed = watching(ctx);
	let active = true;
	// Every minute at a second of its own; a cron expression could not say 'every 7 minutes, beginning at the third'.
	ctx.helpers.registerCron({ expression: `${spread(id, 60)} * * * * *` }, () => {
		if (!active) return;
		if (activeNode(ctx)?.incomplete === true || isDue(id, every, Date.now())) void repair(ctx);
	});
	return {
		closeFunction: async () => {
			active = false;
			cancelRepair(ctx);
			closed();
		},
	};
}

/**
 * The webhooks whose deliveries this process can verify later, too. What only a repair knows is verified by the secret
 * that the current key gives: after a new key it is renewed.
 */
async function stillVerified(
	ctx: ITriggerFunctions,
	{ hooks, unsaved }: ActiveNode,
): Promise<RegisteredWebhook[]> {
	if (unsaved.size === 0) return hooks;
	const { apiKey } = await readCredential(ctx);
	return hooks.filter(
		({ id, digest, targetUrl, secretSetByUser }) =>
			secretSetByUser === true ||
			!unsaved.has(id) ||
			digest === digestOf(deriveSecret(apiKey, targetUrl)),
	);
}

/**
 * One check: one GET when all is well. A failure is logged and takes nothing away; the next check tries again.
 * Only webhooks that were registered in this process are checked, so a workflow whose activation failed, or
 * that was just deactivated, stays as it is.
 */
export async function repair(ctx: ITriggerFunctions): Promise<void> {
	const begun = beginRepair(ctx);
	if (!begun) return;
	const result = await settle(exclusively(ctx, async () => await check(ctx, begun.signal)));
	begun.end();
	if (result.ok || begun.signal.aborted) return;
	ctx.logger.warn(
		`The webhooks of "${ctx.getNode().name}" could not be checked: ${result.error.message}. The next check is in a few minutes.`,
		{ workflowId: ctx.getWorkflow().id },
	);
}

async function check(ctx: ITriggerFunctions, signal: AbortSignal): Promise<void> {
	const node = activeNode(ctx);
	signal.throwIfAborted();
	if (!node) return;
	const listed = await listWebhooks(ctx, { signal });
	const remembered = [...(await stillVerified(ctx, node)), ...node.leftovers];
	const others = hooksOfOthers(ctx);
	const plan = planRegistration({ ...node, wanted: node.desired, listed, remembered, others });
	const applied = await applyPlan(ctx, plan, listed, { others, mode: 'bestEffort', signal });
	// Deactivated meanwhile: it must not become active again.
	signal.throwIfAborted();
	const { hooks, created, failure } = applied;
	setActive(ctx, {
		...node,
		hooks,
		leftovers: leftoversOf(applied, remembered),
		unsaved: new Set([...node.unsaved, ...created.map(({ id }) => id)]),
		incomplete: failure !== undefined || applied.remaining.length > 0,
	});
	report(ctx, applied);
}

function report(ctx: ITriggerFunctions, applied: Applied): void {
	const { created, removed, failure, removalFailures } = applied;
	const name = ctx.getNode().name;
	const details = { workflowId: ctx.getWorkflow().id };
	if (created.length + removed.length > 0) {
		ctx.logger.warn(
			`Restored the webhooks of "${name}" at the service: ${created.length} created again, ${removed.length} removed.`,
			{ ...details, events: created.map(({ event }) => event) },
		);
	}
	const reasons = [...(failure ? [failure] : []), ...removalFailures].map(({ message }) => message);
	if (reasons.length === 0) return;
	ctx.logger.warn(
		`Not all webhooks of "${name}" could be restored: ${[...new Set(reasons)].join('; ')}. The next check, in a minute, tries again.`,
		details,
	);
}
