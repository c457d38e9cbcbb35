/** n8n starts, or another main process has taken the lead. */
import type { IHookFunctions } from 'n8n-workflow';

import { NEW_NODE, type ActiveNode } from '../../runtime/activeNodes';
import type { Runtime } from '../../runtime/runtime';
import { settleSync } from '../../utils/settle';
import { readSelection } from '../readSelection';
import { firstCheck } from './checks';
import { registeredBefore, storedRegistration, storeRegistration } from './earlier';
import { START } from './occasions';
import { baseOf, webhookUrl } from './webhookUrl';

/**
 * The node goes live with what is registered, whatever is wrong, and its first check does the rest. Parameters that cannot
 * be used change nothing, and are reported by the checks. Never throws.
 */
export async function start(ctx: IHookFunctions, runtime: Runtime): Promise<void> {
	const before = registeredBefore(ctx, runtime);
	const { lost } = storedRegistration(ctx);
	const url = settleSync(() => webhookUrl(ctx));
	const selection = settleSync(() => readSelection(ctx));
	const node: ActiveNode = {
		...NEW_NODE,
		...before,
		base: url.ok ? url.value : baseOf(before.webhooks),
		selection: url.ok ? selection : url,
		hasBeenLive: true,
		health: { lost },
	};
	runtime.activeNodes.open(ctx, node);
	const result = await firstCheck(ctx, runtime, START);
	// What an earlier start has stored is reported by the next check, and need not be stored again.
	storeRegistration(ctx, runtime.activeNodes.entryOf(ctx)?.node ?? node, result?.lost);
}
