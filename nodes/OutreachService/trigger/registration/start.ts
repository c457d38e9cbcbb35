/** n8n starts, or another main process has taken the lead. */
import type { IHookFunctions } from 'n8n-workflow';

import { NEW_NODE, type ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settleSync } from '../../utils/settle';
import { readSelection } from '../readSelection';
import { firstCheck } from './checks';
import { storeRegistration, type Earlier } from './earlier';
import { untoldAfter } from './health';
import { START } from './occasions';
import { baseOf, readBase } from './base';

/**
 * Makes the node live with the registered webhooks, whatever is wrong, and runs its first check. If its parameters cannot
 * be used, no webhook is changed, and later checks report it. Never throws.
 */
export async function start(
	ctx: IHookFunctions,
	runtime: Runtime,
	earlier: Earlier,
): Promise<void> {
	const { webhooks, service, stored } = earlier;
	const base = settleSync(() => readBase(ctx));
	const selection = settleSync(() => readSelection(ctx));
	const node: ActiveNode = {
		...NEW_NODE,
		// Another main process may have replaced them meanwhile, so a list of earlier no longer counts.
		webhooks: webhooks.map((webhook) =>
			webhook.evidence === 'hidden' ? webhook : { ...webhook, evidence: 'stored' },
		),
		service,
		base: base.ok ? base.value : baseOf(webhooks),
		selection: base.ok ? selection : base,
		earlierCredentials: earlier.node?.earlierCredentials ?? [],
		hasBeenLive: true,
		// A check may have found losses, and may have been cancelled before it could report them.
		health: { untold: untoldAfter(earlier.node?.health.untold ?? [], stored.untold) },
	};
	// n8n starts again a moment after a failure elsewhere in the workflow: a removal that has begun must stop.
	runtime.activeNodes.cancel(ctx, earlier.node?.base || node.base);
	runtime.activeNodes.open(ctx, node);
	const result = await firstCheck(ctx, runtime, START);
	// Events that an earlier start has found to be lost are reported by the next check, and would otherwise be reported after
	// every start (D105). But while the service fails, that check cannot report anything.
	const isFailing = result === undefined || result.failure !== undefined;
	const untold = untoldAfter(isFailing ? node.health.untold : [], result?.lost ?? []);
	storeRegistration(ctx, runtime.activeNodes.entryOf(ctx)?.node ?? node, untold);
}
