import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import {
	EVENT_TYPES,
	isLeadState,
	problemWithEventType,
} from '../../../nodes/OutreachService/domain/eventTypes';
import type { Selection } from '../../../nodes/OutreachService/parameters/selection';
import { readSelection } from '../../../nodes/OutreachService/trigger/readSelection';

const node = {
	id: '1',
	name: 'Trigger',
	type: 'outreachServiceTrigger',
	typeVersion: 1.1,
	position: [0, 0] as [number, number],
	parameters: {},
};
export const read = (events: unknown, options: unknown): Selection =>
	readSelection(readerOf({ events, options }));

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

/** Parameters as n8n stores them, and what it evaluates them to. */
export const readerOf = (stored: object, evaluated: object = stored) => ({
	getNode: () => ({ ...node, parameters: stored as INodeParameters }),
	getNodeParameter: (name: string, fallback?: unknown): unknown => {
		const path = name.split(/[.[\]]+/).filter((part) => part !== '');
		const value = path.reduce<unknown>(
			(at, key) => (isRecord(at) ? at[key] : undefined),
			evaluated,
		);
		return value === undefined ? fallback : value;
	},
});

/** A documented type, or a custom one. */
export const type = fc.oneof(
	fc.constantFrom(...EVENT_TYPES),
	fc.constantFrom(...[...EVENT_TYPES].filter(isLeadState)),
	fc.stringMatching(/^[\w.:-]{1,12}$/).filter((text) => problemWithEventType(text) === undefined),
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
			thirdPartyReplies: fc.constantFrom('include', 'exclude'),
		}),
	})
	.map(({ types, custom, options }) => ({
		types: new Set([...types, ...custom]),
		selection: read(types, {
			...options,
			// Otherwise the node refuses it.
			isFirst: options.isFirst && options.subscription === 'hookPerEvent',
			customEventTypes: custom.join(' , '),
		}),
	}));
