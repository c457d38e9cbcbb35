/** n8n starts, or this main process has taken the lead from another one. */
import type { IHookFunctions } from 'n8n-workflow';

import { asStored } from '../../domain/registration';
import { NEW_NODE, type TriggerNode } from '../../runtime/triggerNodes';
import type { Runtime } from '../../runtime/runtime';
import { settleSync } from '../../utils/settle';
import { readSelection } from '../readSelection';
import { firstCheck } from './checks';
import { setAsideEarlierCredential } from './credentialChange';
import type { NodeBefore } from './nodeBefore';
import { healthAtStart } from './health';
import { START } from './occasions';
import { baseOf, readBase } from './base';
import { storeRegistration } from './storeRegistration';

/**
 * Makes the node active with the registered webhooks, whatever is wrong, and runs its first check. If its parameters cannot
 * be used, no webhook is changed, and later checks report it. Never throws.
 */
export async function start(
	ctx: IHookFunctions,
	runtime: Runtime,
	before: NodeBefore,
): Promise<void> {
	const { triggerNodes } = runtime;
	const base = settleSync(() => readBase(ctx));
	const selection = settleSync(() => readSelection(ctx));
	const node: TriggerNode = {
		...NEW_NODE,
		webhooks: before.webhooks.map(asStored),
		base: base.ok ? base.value : baseOf(before.webhooks),
		// Without a base, no webhook can be registered; later checks report why.
		selection: base.ok ? selection : { ok: false, error: base.error },
		earlierCredentials: before.earlierCredentials,
		wasActivated: true,
		health: healthAtStart(before.node?.health, before.stored.lost, {
			hasOtherLed: ctx.getActivationMode() === 'leadershipChange',
		}),
	};
	triggerNodes.start(ctx, node);
	// n8n has called `delete`, and the node may have another credential now. At any other start, it has the same, so that this
	// need not wait for a change that is under way.
	if (before.isDeleted) {
		await triggerNodes.exclusively(
			ctx,
			node.base,
			async () => await setAsideEarlierCredential(ctx, runtime, before),
		);
	}
	const result = await firstCheck(ctx, runtime, START);
	// The next check reports all lost events. Those of earlier starts are not stored once more, or every start would report them
	// again (D105). But if the check has failed, or is still under way, it is not known when one can report them: they stay stored.
	const isDone = result !== undefined && !result.failure;
	const lost = isDone ? result.lost : (triggerNodes.known(ctx)?.health.lost ?? []);
	storeRegistration(ctx, runtime, lost);
}
