import type { ITriggerFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { createTargets } from '../../api/targets';
import { parseJson } from '../../utils/json';
import { settle } from '../../utils/settle';

/** What n8n has at a node's webhook URL, as far as it says so itself; `unknown` for any other response, or none. */
export type Route = 'live' | 'lost' | 'unknown';

/** n8n's response to a `GET` for which it has no webhook, in n8n 1 and 2. */
const notFoundSchema = z.object({ code: z.literal(404), message: z.string() });

const LIVE =
	/^This webhook is not registered for GET requests\. Did you mean to make a [A-Z, or]*\bPOST\b[A-Z, or]* request\?$/;

/** With at least two segments: the last one is that of every trigger of this kind. */
const LOST = /^The requested webhook "GET ([^"]+\/[^"]+)" is not registered\.$/;

/**
 * What a response to a `GET` of a node's webhook URL says of its route. Only n8n's own words count, and of a lost route
 * only with the very path (D78): a proxy, another program or another n8n may be at that URL.
 * @param base the node's webhook URL, without the event
 */
export function routeIn(base: string, { status, text }: { status: number; text: string }): Route {
	const parsed = notFoundSchema.safeParse(status === 404 ? parseJson(text) : undefined);
	if (!parsed.success || !URL.canParse(base)) return 'unknown';
	const { message } = parsed.data;
	if (LIVE.test(message)) return 'live';
	const path = LOST.exec(message)?.[1];
	return path !== undefined && new URL(base).pathname.endsWith(`/${path}`) ? 'lost' : 'unknown';
}

/**
 * Asks n8n for a node's route at its own webhook URL, which starts nothing, because the node takes `POST` alone. n8n logs
 * a `GET` of a webhook as an error, so `OPTIONS` comes first, and says enough while all is well. Never throws.
 */
export async function askForRoute(
	ctx: ITriggerFunctions,
	base: string,
	signal: AbortSignal,
): Promise<Route> {
	const asked = await settle(
		(async () => {
			const targets = createTargets(ctx, signal);
			if ((await targets.ask(base)).target === 'live') return 'live';
			const response = await targets.get(base);
			return response.kind === 'response' ? routeIn(base, response) : 'unknown';
		})(),
	);
	const route = asked.ok ? asked.value : 'unknown';
	if (route === 'unknown') {
		// n8n may be unable to reach its own URL, behind a proxy or where names resolve differently inside.
		ctx.logger.debug(`n8n did not say at ${base} whether it has the webhook there`);
	}
	return route;
}
