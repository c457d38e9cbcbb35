/** Whether n8n still calls the node at its webhook URL. */
import { Targets, UNREGISTERED } from '../../targets/targets';
import type { WebhookBase } from '../../domain/triggerUrl';
import { settle } from '../../utils/settle';
import type { Context } from './context';

/**
 * Whether n8n has lost a node's route: asks the node's own webhook URL whether it accepts events, which starts nothing. Only
 * n8n's own words for this very path count (D78), because a proxy, another program or another n8n may be at that URL.
 * Never throws.
 */
export async function isRouteLost(
	ctx: Context,
	base: WebhookBase,
	signal: AbortSignal,
): Promise<boolean> {
	const asked = await settle(new Targets(ctx, signal).ask(base));
	const status = asked.ok ? asked.value : undefined;
	if (status === UNREGISTERED) return true;
	if (status?.target !== 'live') {
		// n8n may be unable to reach its own URL, behind a proxy or where names resolve differently inside.
		ctx.logger.debug(`n8n did not say at ${base} whether it has the webhook there`);
	}
	return false;
}
