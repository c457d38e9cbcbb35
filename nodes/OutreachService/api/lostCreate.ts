import { settingsOf, type Webhook, type WebhookSettings } from '../model/schemas';
import { isSameUrl } from '../model/targetUrl';
import { timeOf } from '../model/time';
import type { List } from './listWebhooks';
import type { RecentCreates } from './recentCreates';

/** Room for a clock that is given in whole seconds, in milliseconds. */
const CLOCK_SLACK_MS = 2000;

export type Known = {
	/** IDs of the webhooks that existed before; without them, the age of a webhook tells whether it is new. */
	known?: ReadonlySet<string> | undefined;
};

/** A list that was fetched after a create was sent, and how long after, in milliseconds. */
export type LaterList = List & { elapsedMs: number };

/** Whether a listed webhook has certain settings. What the service does not list contradicts nothing. */
function matches(webhook: Webhook, settings: WebhookSettings): boolean {
	if (!isSameUrl(webhook.targetUrl, settings.targetUrl)) return false;
	const { type, campaignId, isFirst, toolLinkId } = settingsOf(webhook);
	return (
		type === settings.type &&
		campaignId === (settings.campaignId || undefined) &&
		(isFirst === undefined || isFirst === (settings.isFirst ?? false)) &&
		(toolLinkId === undefined || toolLinkId === settings.toolLinkId)
	);
}

/**
 * Whether a webhook was created since the create was sent, by the service's own clock. Where the service does not show
 * its clock, this machine's may differ from it: then only 'new' can be told.
 */
function ageOf(webhook: Webhook, { headers, elapsedMs }: LaterList): 'new' | 'old' | 'unknown' {
	const { date } = headers;
	const clock = timeOf(typeof date === 'string' ? date : undefined);
	const created = timeOf(settingsOf(webhook).createdAt);
	if (created === undefined) return 'unknown';
	const age = (clock ?? Date.now()) - created;
	if (age < -CLOCK_SLACK_MS) return 'unknown';
	if (age <= elapsedMs + CLOCK_SLACK_MS) return 'new';
	return clock === undefined ? 'unknown' : 'old';
}

/**
 * The webhooks of a list that have certain settings and that a create may have made without saying so: they did not
 * exist before, and no other create of this process returned them. One that another process created can be told apart
 * only by its settings.
 */
export const unclaimed = (
	webhooks: readonly Webhook[],
	settings: WebhookSettings,
	{ known, recentCreates }: Known & { recentCreates: RecentCreates },
): Webhook[] =>
	webhooks.filter(
		(webhook) =>
			matches(webhook, settings) &&
			!recentCreates.has(webhook._id) &&
			known?.has(webhook._id) !== true,
	);

/**
 * The webhooks that a create can have made although its response did not say so (D17).
 * @returns `made` for those that are certainly new, `doubtful` for those whose age is not known
 */
export function findLost(
	list: LaterList,
	settings: WebhookSettings,
	given: Known & { recentCreates: RecentCreates },
): { made: Webhook[]; doubtful: Webhook[] } {
	const candidates = unclaimed(list.webhooks, settings, given);
	if (given.known) return { made: candidates, doubtful: [] };
	const ofAge = (age: 'new' | 'unknown') =>
		candidates.filter((webhook) => ageOf(webhook, list) === age);
	return { made: ofAge('new'), doubtful: ofAge('unknown') };
}
