import type { Activity, ActivityInput } from '../model/activity';
import { groupCovers } from '../model/eventTypeLookups';
import type { StoredHook } from '../model/hook';
import { sampleActivity, sampleThirdPartyReply } from '../samples/sampleActivity';
import { makeId } from '../support/ids';
import type { Switches } from '../switches';

const isComplete = (input: ActivityInput): boolean =>
	['_id', 'teamId', 'createdAt'].every((field) => Object.hasOwn(input, field));

/**
 * Fills in the fields that `input` lacks. An input with `_id`, `teamId` and `createdAt` is complete and kept as it is.
 * Otherwise the other fields come from a sample with a new `_id` and the current time; a field that is `undefined` is
 * omitted.
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

/** The JSON body of a delivery: the activity, with the webhook's secret if it has one (§6.4.5). */
export function composeBody(
	activity: Activity,
	hook: StoredHook,
	secret: string | undefined,
	switches: Pick<Switches, 'groupDeliveryType'>,
): string {
	const isForGroup = hook.type !== undefined && groupCovers(hook.type, activity.type);
	return JSON.stringify({
		...activity,
		...(isForGroup && switches.groupDeliveryType === 'group' && { type: hook.type }),
		...(secret !== undefined && { secret }),
	});
}
