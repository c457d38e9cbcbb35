import type { Activity } from '../model/activity';
import { groupCovers } from '../model/eventTypeLookups';
import type { StoredHook } from '../model/hook';
import type { Switches } from '../switches';

type MatchSwitches = Pick<Switches, 'campaignFilter' | 'isFirstScope'>;

const isMatch = (
	hook: StoredHook,
	activity: Activity,
	{ campaignFilter }: MatchSwitches,
): boolean => {
	const isOfType =
		hook.type === undefined || hook.type === activity.type || groupCovers(hook.type, activity.type);
	const isOfCampaign =
		campaignFilter === 'ignore' ||
		hook.campaignId === undefined ||
		hook.campaignId === activity.campaignId;
	return !hook.disabled && isOfType && isOfCampaign;
};

/**
 * Finds the webhooks that receive an activity (§6.3). It keeps track of earlier matches, because a webhook with `isFirst`
 * receives only the first activity that matches it (§2.1): of each lead in each campaign, or of all.
 */
export class Matcher {
	private readonly seen = new WeakMap<StoredHook, Set<string>>();

	match(hooks: readonly StoredHook[], activity: Activity, switches: MatchSwitches): StoredHook[] {
		return hooks.filter(
			(hook) =>
				isMatch(hook, activity, switches) &&
				(hook.isFirst !== true || this.isFirst(hook, activity, switches.isFirstScope)),
		);
	}

	private isFirst(hook: StoredHook, activity: Activity, scope: Switches['isFirstScope']): boolean {
		if (scope === 'ignore') return true;
		const key = scope === 'hook' ? '' : JSON.stringify([activity.campaignId, activity.leadId]);
		const seen = this.seen.get(hook) ?? new Set<string>();
		this.seen.set(hook, seen);
		if (seen.has(key)) return false;
		seen.add(key);
		return true;
	}
}
