import { EVENT_TYPES } from '../model/eventTypes';
import type { HookFields } from '../model/hook';
import { makeId } from '../support/ids';
import { seededPick } from '../support/random';

/**
 * Webhooks to start with, cycling through the event types, some with optional fields. All belong to a campaign that no
 * sample activity has, so that nothing is delivered to their target URLs.
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
