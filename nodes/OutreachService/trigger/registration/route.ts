import type { ITriggerFunctions } from 'n8n-workflow';

import { Targets, UNREGISTERED } from '../../api/targets';
import { settle } from '../../utils/settle';

/** What n8n has at a node's webhook URL, as far as it says so itself; `unknown` for any other response, or none. */
export type Route = 'live' | 'lost' | 'unknown';

/**
 * Asks for a node's route at its own webhook URL, which starts nothing. It is lost only in n8n's own words for this very
 * path (D78): a proxy, another program or another n8n may be at that URL. Never throws.
 * @param base the node's webhook URL, without the event
 */
export async function askForRoute(
	ctx: ITriggerFunctions,
	base: string,
	signal: AbortSignal,
): Promise<Route> {
	const asked = await settle(new Targets(ctx, signal).ask(base));
	if (asked.ok && asked.value === UNREGISTERED) return 'lost';
	if (asked.ok && asked.value.target === 'live') return 'live';
	// n8n may be unable to reach its own URL, behind a proxy or where names resolve differently inside.
	ctx.logger.debug(`n8n did not say at ${base} whether it has the webhook there`);
	return 'unknown';
}
