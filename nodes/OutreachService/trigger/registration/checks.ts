/** n8n's `trigger()`: the checks of a node's webhooks, and when one is due. */
import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { createHash } from 'crypto';

import { createClient } from '../../api/client';
import { digestOf } from '../../domain/secret';
import { nodeKey, type TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { now } from '../../utils/moment';
import { settle } from '../../utils/settle';
import { dropEarlierCredentials, withoutServed } from './credentialChange';
import { allLost, dueAtOnce, isDue, nextHealth, reportsOf } from './health';
import { logLost, logProblems } from './logProblems';
import { CHECK, type Occasion } from './occasions';
import { reconcile } from './reconcile';
import { reportProblems } from './report';
import { isListenerLost } from './listenerCheck';
import { nothingDone, type ChangeResult } from './changeResult';
import type { Context } from './context';

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
		if (!node || triggerNodes.isChanging(ctx, node.base)) return;
		const isDueNow = isDue(node, now());
		if (isDueNow || (await hasCredentialChanged(ctx, runtime, node))) {
			await check(ctx, runtime, CHECK);
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

/** Whether the credential has another key or service than when the webhooks were registered. Sends no request. */
async function hasCredentialChanged(
	ctx: ITriggerFunctions,
	runtime: Runtime,
	{ webhooks }: TriggerNode,
): Promise<boolean> {
	const [registered] = webhooks;
	if (!registered) return false;
	const client = createClient(ctx, runtime);
	const secret = await settle(client.secretFor(registered.targetUrl));
	// A credential that cannot be read now is the next check's concern.
	if (!secret.ok) return false;
	const { digest, serviceId } = registered;
	return digestOf(secret.value) !== digest || (await client.serviceId()) !== serviceId;
}

/**
 * One check, which sends a single GET when all is well. After a failure, the next check tries again. A node that is not
 * active in this process is not checked. Never throws.
 * @param occasion a check, or the start or publication whose first check this is
 * @returns the result; undefined when there is none: the node is not active, or n8n has called `delete` meanwhile
 */
async function check(
	ctx: Context,
	runtime: Runtime,
	occasion: Occasion,
): Promise<ChangeResult | undefined> {
	const { triggerNodes } = runtime;
	const { base } = triggerNodes.active(ctx) ?? {};
	if (base === undefined) return undefined;
	const checked = await settle(
		triggerNodes.exclusively(ctx, base, async (signal) => {
			const node = triggerNodes.active(ctx);
			// If the node has another base meanwhile, this is not the lock for its changes, and its own check follows.
			if (node?.base !== base) return undefined;
			return await checkNode(ctx, runtime, node, occasion, signal);
		}),
	);
	if (checked.ok) return checked.value;
	ctx.logger.error(checked.error.message, { workflowId: ctx.getWorkflow().id });
	return undefined;
}

/** As {@link check}, while nothing else changes the webhooks of the node. */
async function checkNode(
	ctx: Context,
	runtime: Runtime,
	node: TriggerNode,
	occasion: Occasion,
	signal: AbortSignal,
): Promise<ChangeResult | undefined> {
	const { triggerNodes } = runtime;
	const { base, selection, health: before } = node;
	const { tellsUser } = occasion;
	triggerNodes.update(ctx, { health: dueAtOnce(before) });
	// Without a usable selection, nothing tells what is desired: the registered webhooks stay as they are.
	const result = selection.ok
		? await reconcile(ctx, runtime, { ...node, selection: selection.value }, occasion, signal)
		: nothingDone(node, [], selection.error);
	// A deactivation that has cancelled this change must know, too, which webhooks it has to remove.
	triggerNodes.update(ctx, { webhooks: result.webhooks });
	// At a start, it is too early to ask for the listener, which n8n is just setting up. Users turn regular checks off with 0.
	const isListenerChecked = tellsUser && selection.ok && selection.value.repairMinutes > 0;
	const listenerLost = isListenerChecked && (await isListenerLost(ctx, base, signal));
	if (signal.aborted || !triggerNodes.active(ctx)) {
		// n8n has called `delete` meanwhile. If it publishes a change, the next check reports what this one has found.
		const { health } = triggerNodes.known(ctx) ?? node;
		const lost = allLost(health.lost, result.lost);
		triggerNodes.update(ctx, { health: { ...health, lost } });
		return undefined;
	}
	logProblems(ctx, runtime, before, result);
	const health = nextHealth(before, result, { tellsUser, listenerLost, ...now() });
	triggerNodes.update(ctx, { health });
	if (tellsUser) {
		const missing = withoutServed(result.missing, ctx, runtime);
		reportProblems(ctx, node, reportsOf(before, health, { ...result, missing }));
	} else {
		logLost(ctx, result.lost);
	}
	if (!result.failure) dropEarlierCredentials(ctx, runtime);
	return result;
}

/**
 * How long a start or a publication waits for its first check, in milliseconds. After that, the check goes on in the
 * background: n8n may start one workflow after the other, and gives up on a publication after 84 seconds.
 */
const FIRST_CHECK_WAIT_MS = 10_000;

/**
 * The first check of a node that goes live. Never throws.
 * @returns the result; undefined when the check goes on, could not be made, or was cancelled: then nobody knows it yet
 */
export async function firstCheck(
	ctx: IHookFunctions,
	runtime: Runtime,
	occasion: Occasion,
): Promise<ChangeResult | undefined> {
	const tooLong = sleep(FIRST_CHECK_WAIT_MS).then(() => undefined);
	return await Promise.race([check(ctx, runtime, occasion), tooLong]);
}
