/** n8n's `trigger()`: the checks of a node's webhooks. */
import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { createHash } from 'crypto';

import { createClient } from '../../api/client';
import { nodeKey, type Health, type TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { now } from '../../utils/moment';
import { settle, settleSync } from '../../utils/settle';
import type { Context } from './base';
import { afterReport, healthAtRest, isDue, nextHealth, reportsOf } from './health';
import { isListenerLost } from './listenerCheck';
import { nothingDone, reconcile, type ChangeResult, type Occasion } from './reconcile';
import { namesOf, tell } from './report';

/**
 * The second of each minute in which a node's cron job runs: always the same for a node, and spread over all nodes.
 * @param id see `nodeKey`
 */
export const secondOf = (id: string): number =>
	createHash('sha256').update(id).digest().readUInt32BE(0) % 60;

/**
 * Has the node's webhooks checked, and missing ones restored (D18): once in a repair interval, and every minute while an
 * earlier change has left something to do or the credential has changed, even if the interval is 0. n8n calls it in the
 * main process that leads, and in no other.
 * @returns a function for n8n to end the checks; nothing in a manual run
 */
export async function startChecks(
	ctx: ITriggerFunctions,
	runtime: Runtime,
): Promise<ITriggerResponse> {
	if (ctx.getMode() === 'manual') return {};
	const { triggerNodes } = runtime;
	const id = nodeKey(ctx);
	const end = triggerNodes.untilEnded(ctx);
	const tick = async (): Promise<void> => {
		const node = triggerNodes.active(ctx);
		// An earlier check may still wait for the service.
		if (!node || triggerNodes.isChanging(node.base)) return;
		if (isDue(node, now()) || (await hasCredentialChanged(ctx, runtime, node))) {
			await check(ctx, runtime, node, 'check');
		}
	};
	// A cron expression could not say 'every 7 minutes'.
	ctx.helpers.registerCron({ expression: `${secondOf(id)} * * * * *` }, () => void tick());
	return {
		closeFunction: async () => {
			end();
			// n8n shuts down, or the workflow is deactivated: open batches must not wait for more events.
			await runtime.batches.close(id);
		},
	};
}

/** Whether the credential has another key or service than when the webhooks were last complete. Sends no request. */
async function hasCredentialChanged(
	ctx: ITriggerFunctions,
	runtime: Runtime,
	{ clients }: TriggerNode,
): Promise<boolean> {
	const accountId = await settle(createClient(ctx, runtime).accountId());
	// A credential that cannot be read now is the next check's concern.
	return accountId.ok && !clients.has(accountId.value);
}

/**
 * How long a start or a publication waits for its first check, in milliseconds. After that, the check goes on in the
 * background: n8n may start one workflow after the other, and gives up on a publication after 84 seconds.
 */
const FIRST_CHECK_WAIT_MS = 10_000;

/** The first check of a node that n8n has started or published. Never throws. @returns the result, unless the check goes on */
export async function firstCheck(
	ctx: IHookFunctions,
	runtime: Runtime,
	node: TriggerNode,
	occasion: 'start' | 'publication',
): Promise<ChangeResult | undefined> {
	const tooLong = sleep(FIRST_CHECK_WAIT_MS).then(() => undefined);
	return await Promise.race([check(ctx, runtime, node, occasion), tooLong]);
}

/**
 * Checks the webhooks of a node, and changes what is not as desired. It sends a single GET when all is well. Never throws.
 * @returns the result; undefined if n8n has ended the node meanwhile
 */
export async function check(
	ctx: Context,
	runtime: Runtime,
	node: TriggerNode,
	occasion: Occasion,
): Promise<ChangeResult | undefined> {
	return await runtime.triggerNodes.exclusively(node.base, async (signal) => {
		if (!['activating', 'active'].includes(node.phase.name)) return undefined;
		const isCheck = occasion === 'check';
		node.health = { ...node.health, idleSince: undefined };
		const changed = await settle(reconcile({ ctx, runtime, node, occasion, signal }));
		const result = changed.ok ? changed.value : nothingDone(changed.error);
		// At a start, it is too early to ask for the listener, which n8n is just setting up. Users turn regular checks off with 0.
		const isListenerChecked =
			isCheck && node.selection.ok && node.selection.value.repairMinutes > 0;
		const listenerLost = isListenerChecked && (await isListenerLost(ctx, node.base, signal));
		// A check that was cancelled has found nothing; but what it has found lost, the next one reports.
		if (signal.aborted) {
			node.health = { ...node.health, lost: [...new Set([...node.health.lost, ...result.lost])] };
			return undefined;
		}
		// A person who activates a workflow gets the error.
		if (occasion !== 'activation') logProblems(ctx, runtime, result, node.health, isCheck);
		node.health = nextHealth(node.health, result, { listenerLost, date: Date.now(), isCheck });
		for (const report of isCheck ? reportsOf(node.health) : []) {
			const told = settleSync(() => tell(ctx, node, result, report));
			// What could not be told is told by the next check.
			if (told.ok) node.health = afterReport(node.health, report);
			else ctx.logger.error(told.error.message, { workflowId: ctx.getWorkflow().id });
		}
		node.health = healthAtRest(node.health, result, now());
		return result;
	});
}

/** Has n8n's log say what a check could not do, each problem once, and what a start or a publication has found. */
function logProblems(
	ctx: Context,
	runtime: Runtime,
	{ failure, lost, removalErrors }: ChangeResult,
	before: Health,
	isCheck: boolean,
): void {
	const { name } = ctx.getNode();
	const meta = { workflowId: ctx.getWorkflow().id };
	if (failure && !before.failing) {
		ctx.logger.warn(
			`The webhooks of "${name}" could not be checked or registered: ${failure.message}. The next check, in a minute, tries again.`,
			meta,
		);
	}
	// A webhook that cannot be removed costs nobody an event, so it is only logged.
	for (const [id, { message }] of removalErrors) {
		runtime.warnOnce(
			ctx,
			`not removed ${id}`,
			`The webhook ${id} of "${name}" could not be removed: ${message}. Each minute's check tries again.`,
		);
	}
	if (!isCheck && lost.length > 0) {
		ctx.logger.warn(
			`Webhooks of "${name}" were missing when n8n started or you published a change: ${namesOf(lost)}. Events may be lost. The next check reports it.`,
			meta,
		);
	}
}
