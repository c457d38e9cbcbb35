/** Whether n8n calls the node at its base. */
import { REGISTERED, Targets, UNREGISTERED, type TargetStatus } from '../../targets/targets';
import type { WebhookBase } from '../../domain/triggerUrl';
import { settle } from '../../utils/settle';
import type { Context } from './context';

/**
 * Asks the node's own base whether it accepts events, which starts nothing. Only n8n's own words for this very path
 * count (D78), because a proxy, another program or another n8n may be at that URL. Never throws.
 */
async function askRoute(
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<TargetStatus | undefined> {
	const asked = await settle(new Targets(ctx, signal).ask(base));
	return asked.ok ? asked.value : undefined;
}

/** Whether n8n itself says that it has the node's route, so that some process of n8n has activated the workflow. */
export const hasRoute = async (
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<boolean> => (await askRoute(ctx, base, signal)) === REGISTERED;

/** Whether n8n itself says that it has lost the node's route. */
export async function isRouteLost(
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<boolean> {
	const status = await askRoute(ctx, base, signal);
	if (status === UNREGISTERED) return true;
	if (status?.target !== 'live') {
		// n8n may be unable to reach its own URL, behind a proxy or where names resolve differently inside.
		ctx.logger.debug(`n8n did not say at ${base} whether it has the webhook there`);
	}
	return false;
}
