/** Whether n8n listens at the base of a node, so that a delivery reaches the node. */
import { REGISTERED, Targets, UNREGISTERED, type TargetStatus } from '../../targets/targets';
import { baseIn, type WebhookBase } from '../../domain/triggerUrl';
import { settle } from '../../utils/settle';
import type { Context } from './base';

/**
 * Asks the node's own base whether it accepts events, which starts nothing. Only n8n's own words for this very path
 * count (D78), because a proxy, another program or another n8n may be at that URL. Never throws.
 */
async function askListener(
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<TargetStatus | undefined> {
	const asked = await settle(new Targets(ctx, signal).ask(base));
	return asked.ok ? asked.value : undefined;
}

/** Whether n8n itself says that it listens at the base, so that some process of n8n has activated the workflow. */
export const hasListener = async (
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<boolean> => (await askListener(ctx, base, signal)) === REGISTERED;

/** Whether n8n itself says that it does not listen at the base. */
export async function isListenerLost(
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<boolean> {
	const status = await askListener(ctx, base, signal);
	if (status === UNREGISTERED) return true;
	if (status?.target !== 'live') {
		// n8n may be unable to reach its own URL, behind a proxy or where names resolve differently inside.
		ctx.logger.debug(`n8n did not say at ${baseIn(base)} whether it has the webhook there`);
	}
	return false;
}
