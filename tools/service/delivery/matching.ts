import type { Activity } from '../model/activity';
import { groupCovers } from '../model/eventTypeLookups';
import type { StoredHook } from '../model/hook';
import type { Switches } from '../switches';

type MatchSwitches = Pick<Switches, 'campaignFilter' | 'isFirstScope'>;

const isFor = (
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
 * Which hooks an activity is delivered to (§6.3). Remembers what it said, because a hook with `isFirst` gets the first
 * activity that matches it only (§2.1): of each lead in each campaign, or of all.
 */
export class Matcher {
	private readonly seen = new WeakMap<StoredHook, Set<string>>();

	match(hooks: readonly StoredHook[], activity: Activity, switches: MatchSwitches): StoredHook[] {
		return hooks.filter(
			(hook) =>
				isFor(hook, activity, switches) &&
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
