import { settingsOf, type Hook, type HookSettings } from '../model/schemas';
import { isSameUrl } from '../model/targetUrl';
import { timeOf } from '../model/time';
import { isClaimed } from './claims';
import type { ApiAnswer } from './request';

/** Room for a clock that is given in whole seconds, in milliseconds. */
const CLOCK_SLACK_MS = 2000;

/** IDs of the webhooks that were there before; without them, the age of one tells whether it is new. */
export type Known = { known?: ReadonlySet<string> };

/** A list of webhooks that was fetched after a create was sent, and how long after, in milliseconds. */
export type Look = { hooks: readonly Hook[]; answer: ApiAnswer; elapsedMs: number };

/** Whether a listed webhook has what was asked for. What the service does not list contradicts nothing. */
function matches(hook: Hook, wanted: HookSettings): boolean {
	if (!isSameUrl(hook.targetUrl, wanted.targetUrl)) return false;
	const { type, campaignId, isFirst, toolLinkId } = settingsOf(hook);
	return (
		type === wanted.type &&
		campaignId === (wanted.campaignId || undefined) &&
		(isFirst === undefined || isFirst === (wanted.isFirst ?? false)) &&
		(toolLinkId === undefined || toolLinkId === wanted.toolLinkId)
	);
}

/**
 * Whether a webhook came into being since the create was sent, by the service's own clock. Where the service does not
 * show its clock, ours may be wrong for it: then only 'new' can be told.
 */
function ageOf(hook: Hook, { answer, elapsedMs }: Look): 'new' | 'old' | 'unknown' {
	const { date } = answer.headers;
	const clock = timeOf(typeof date === 'string' ? date : undefined);
	const created = timeOf(settingsOf(hook).createdAt);
	if (created === undefined) return 'unknown';
	const age = (clock ?? Date.now()) - created;
	if (age < -CLOCK_SLACK_MS) return 'unknown';
	if (age <= elapsedMs + CLOCK_SLACK_MS) return 'new';
	return clock === undefined ? 'unknown' : 'old';
}

/** The webhooks of a list that have certain settings, were not there before, and were returned by no other create. */
export const unclaimed = (
	hooks: readonly Hook[],
	settings: HookSettings,
	known?: ReadonlySet<string>,
): Hook[] =>
	hooks.filter(
		(hook) => matches(hook, settings) && !isClaimed(hook._id) && known?.has(hook._id) !== true,
	);

/**
 * The webhooks that a create can have made although its response did not say so (D17): with the same settings, new,
 * and returned by no other create of this process. Another process is told apart by the settings alone.
 * @returns `made` for those that are new beyond doubt, `doubtful` for those whose age cannot be told
 */
export function findLost(
	look: Look,
	settings: HookSettings,
	{ known }: Known,
): { made: Hook[]; doubtful: Hook[] } {
	const candidates = unclaimed(look.hooks, settings, known);
	if (known) return { made: candidates, doubtful: [] };
	const ofAge = (age: 'new' | 'unknown') => candidates.filter((hook) => ageOf(hook, look) === age);
	return { made: ofAge('new'), doubtful: ofAge('unknown') };
}
