import type { Activity, ActivityInput } from '../model/activity';
import { groupCovers } from '../model/eventTypeLookups';
import type { StoredHook } from '../model/hook';
import { tidyRecipients } from '../model/recipients';
import { sampleActivity, sampleThirdPartyReply } from '../samples/sampleActivity';
import { makeId } from '../support/ids';
import { without } from '../support/without';
import type { Switches } from '../switches';

type ComposeSwitches = Pick<Switches, 'thirdPartyCampaign' | 'groupDeliveryType'>;

/** What ties an activity to a campaign's flow. */
const CAMPAIGN_FIELDS = ['campaignId', 'campaignName', 'leadId', 'sequenceId', 'sequenceStep'];

const isComplete = (input: ActivityInput): boolean =>
	['_id', 'teamId', 'createdAt'].every((field) => Object.hasOwn(input, field));

/**
 * The activity that happens when somebody asks for `input`. What has an `_id`, a `teamId` and a `createdAt` is taken as it
 * is; anything else is laid over a sample with a new `_id` and the present time. A field that is `undefined` is left out.
 */
export function completeActivity(input: ActivityInput, team: string, seed: number): Activity {
	if (isComplete(input)) return { ...input };
	const sample =
		input.type === 'emailsReplied' && input.isThirdPartyReply === true
			? sampleThirdPartyReply(seed)
			: sampleActivity(input.type, seed);
	return {
		...sample,
		_id: makeId('act_'),
		teamId: team,
		createdAt: new Date().toISOString(),
		...input,
	};
}

/** What the interface says of every activity: recipients (§2.4), and what a third-party reply belongs to (§6.6). */
export function settleActivity(activity: Activity, switches: ComposeSwitches): Activity {
	const tidy = tidyRecipients(activity);
	if (tidy.isThirdPartyReply !== true || switches.thirdPartyCampaign === 'kept') return tidy;
	if (switches.thirdPartyCampaign === 'omitted') {
		return { ...without(tidy, CAMPAIGN_FIELDS), type: tidy.type };
	}
	return {
		...tidy,
		campaignId: makeId('cam_'),
		leadId: makeId('lea_'),
		sequenceId: makeId('seq_'),
	};
}

/** The JSON body for one hook: the activity, with the hook's secret if it has one (§6.4.5). */
export function composeBody(
	activity: Activity,
	hook: StoredHook,
	secret: string | undefined,
	switches: ComposeSwitches,
): string {
	const isForGroup = hook.type !== undefined && groupCovers(hook.type, activity.type);
	return JSON.stringify({
		...activity,
		...(isForGroup && switches.groupDeliveryType === 'group' && { type: hook.type }),
		...(secret !== undefined && { secret }),
	});
}
