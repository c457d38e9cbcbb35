import { EVENT_TYPES } from '../model/eventTypes';
import type { HookFields } from '../model/hook';
import { makeId } from '../support/ids';
import { seededPick } from '../support/random';

/**
 * Hooks for a list to be long: of every type in turn, some with the optional fields. All belong to a campaign that no
 * sample activity has, so events are not delivered to addresses where nobody listens.
 */
export function seedHooks(count: number): HookFields[] {
	const campaignId = makeId('cam_', seededPick(count));
	return Array.from({ length: count }, (_, index) => {
		const type = EVENT_TYPES[index % EVENT_TYPES.length];
		return {
			targetUrl: `https://receiver-${index + 1}.example/hooks/outreach?event=${type ?? 'all'}`,
			type,
			campaignId,
			...(index % 5 === 0 && { isFirst: true }),
			...(index % 7 === 0 && { toolLinkId: 1000 + index }),
			...(index % 3 === 0 && { secret: `seeded-secret-${index}` }),
		};
	});
}
