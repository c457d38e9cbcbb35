/** What a text names exists: parameters, options, values, event types and fields of items. */
import { connectionError } from '../../../nodes/OutreachService/api/noResponse';
import { activityFields } from '../../../nodes/OutreachService/domain/activity';
import { EVENT_TYPES, eventName } from '../../../nodes/OutreachService/domain/eventTypes';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { OUTPUTS } from '../../../tools/docs/outputs';
import { defaultItem } from '../../defaultItem';
import { CREDENTIALS, EVERY_PROPERTY } from './everyProperty';
import { EVERY_TEXT } from './everyText';

const properties = EVERY_PROPERTY.map(({ property }) => property);

/** The choices of a field; those of an event are checked elsewhere. */
const choices = properties.flatMap(({ options: all = [] }) =>
	all.flatMap((one) => ('value' in one && 'name' in one ? [one] : [])),
);

/** What a person reads in the editor: fields, choices, and the parts of the page around them. */
const LABELS = new Set([
	...properties.map(({ displayName }) => displayName),
	...properties.flatMap(({ modes = [] }) => modes.map(({ displayName }) => displayName)),
	...choices.map(({ name }) => name),
	...[...EVENT_TYPES].map(eventName),
	'All Events',
	// n8n's own.
	'Execute Once',
	'Custom API Call',
]);

/** What a workflow stores, and the fields of items. */
const NAMES = new Set([
	...properties.map(({ name }) => name),
	...properties.flatMap(({ modes = [] }) => modes.map(({ name }) => name)),
	...choices.map(({ value }) => String(value)),
	...EVENT_TYPES,
	...Object.keys(activityFields.shape),
	...Object.values(OUTPUTS).flatMap((operations) =>
		Object.values(operations).flatMap((fields) => Object.keys(fields ?? {})),
	),
]);

/** A text quotes a label or a name, or what the service writes, an example, or a part of a regular expression. */
const EXAMPLES = new Set([
	'Bad team',
	'reason',
	'replied',
	'string',
	'full_name',
	'hoo_4fT9x',
	'cam_8QkzT2',
]);
const QUOTED = /(?<![\p{L}\d])['"]([\p{L}\d*][^'"…]*)['"](?![\p{L}\d])/gu;

const namesIn = (text: string, pattern: RegExp): string[] =>
	[...text.matchAll(pattern)].map(([, name = '']) => name);

it('Each name that a text of the nodes quotes is a label in the editor, or a name that a workflow stores', () => {
	const quoted = new Set(EVERY_TEXT.flatMap((text) => namesIn(text, QUOTED)));
	expect(quoted.size).toBeGreaterThan(30);
	const unknown = [...quoted].filter(
		(name) => !LABELS.has(name) && !NAMES.has(name) && !EXAMPLES.has(name),
	);
	expect(unknown).toEqual([]);
});

it('The trigger shows AI models the item that it has without options', () => {
	const { searchHint = '' } = new OutreachServiceTrigger().description.builderHint ?? {};
	const [, shown = '{}'] = /Each event is one flat item: (\{.+?\})\. /.exec(searchHint) ?? [];
	const activity = JSON.parse(shown) as object;
	expect(Object.keys(activity).length).toBeGreaterThan(3);
	expect(defaultItem(activity)).toEqual(activity);
});

it('Each `options.…` in a text is an option of the trigger', () => {
	const named = EVERY_TEXT.flatMap((text) => namesIn(text, /\boptions\.(\w+)/g));
	expect(named).toContain('outputs');
	const known = options.map(({ name }) => name);
	expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

it('Each setting in a hint for models, such as `dryRun: false`, is a parameter with such a value', () => {
	const hints = EVERY_TEXT.flatMap((text) =>
		[...text.matchAll(/\b([a-z]\w*): (?:'(\w+)'|true|false)/g)].map(([, name = '', value]) => ({
			name,
			value,
		})),
	);
	// Of a resource locator, of items, and in a sentence ('one lead state: …').
	const others = ['__rl', 'mode', 'value', 'deleted', 'state'];
	const ofParameters = hints.filter(({ name }) => !others.includes(name));
	expect(ofParameters.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['dryRun', 'output']),
	);
	const unknown = ofParameters.filter(
		({ name, value }) =>
			!properties.some(
				(one) =>
					one.name === name &&
					(value === undefined ||
						(one.options ?? []).some((option) => 'value' in option && option.value === value)),
			),
	);
	expect(unknown).toEqual([]);
});

describe('The error of a connection names the field to correct', () => {
	const fields = CREDENTIALS.flatMap(({ properties }) => properties).map(
		({ displayName }) => displayName,
	);

	it.each(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'CERT_HAS_EXPIRED', 'EPROTO'])(
		'%s',
		(code) => {
			const { description } = connectionError({ code }, 'https://api.test/api');
			const [named] = namesIn(description, /the '([^']+)' in the credential/g);
			expect(named).toBe('Base URL');
			expect(fields).toContain(named);
		},
	);
});
