import fc from 'fast-check';

import { EVENT_TYPES, LEAD_STATES } from '../../../nodes/OutreachService/model/eventTypes';
import type { Selection } from '../../../nodes/OutreachService/model/selection';
import { readSelection } from '../../../nodes/OutreachService/trigger/parameters';

export const node = {
	id: '1',
	name: 'Trigger',
	type: 'outreachServiceTrigger',
	typeVersion: 1.1,
	position: [0, 0] as [number, number],
	parameters: {},
};
export const read = (events: unknown, options: unknown): Selection =>
	readSelection({
		getNode: () => node,
		getNodeParameter: (name, fallback) => {
			const value = name === 'events' ? events : options;
			return value === undefined ? fallback : value;
		},
	});

/** A documented type, or a custom one. */
export const type = fc.oneof(
	fc.constantFrom(...EVENT_TYPES),
	fc.constantFrom(...LEAD_STATES),
	fc.stringMatching(/^\S{1,12}$/).filter((text) => !text.includes(',') && text !== '*'),
);
const subscription = fc.constantFrom<Selection['subscription']>('hookPerEvent', 'singleHook');
/** What a user selects, and how the node reads it. */
export const selection = fc
	.record({
		types: fc.array(type, { minLength: 1, maxLength: 8 }),
		custom: fc.array(type, { maxLength: 3 }),
		options: fc.record({
			subscription,
			campaignId: fc.constantFrom('', ' cam_1 ', 'cam_2', 'cam_1,cam_2', 'cam_3, cam_1, cam_2'),
			isFirst: fc.boolean(),
		}),
	})
	.map(({ types, custom, options }) => ({
		types: new Set([...types, ...custom]),
		selection: read(types, { ...options, customEventTypes: custom.join(' , ') }),
	}));
