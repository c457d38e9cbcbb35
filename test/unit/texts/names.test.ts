/** What a text names exists: parameters, options, values, event types and fields of items. */
import { RESOURCES } from '../../../nodes/OutreachService/actions';
import { connectionError } from '../../../nodes/OutreachService/api/noResponse';
import { activityFields } from '../../../nodes/OutreachService/domain/activity';
import { EVENT_TYPES, eventName } from '../../../nodes/OutreachService/domain/eventTypes';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { OUTPUTS } from '../../../tools/docs/outputs';
import { sampleActivity } from '../../../tools/service/model/activity';
import { defaultItem } from '../../defaultItem';
import { read } from './everyDocument';
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

it('docs/actions.md describes each field that an operation adds to those of a webhook or an activity', () => {
	const actions = read('docs/actions.md');
	const ofWebhook = Object.keys(OUTPUTS.webhook?.get ?? {});
	const added = Object.values(OUTPUTS)
		.flatMap((operations) => Object.values(operations))
		.flatMap((fields) => Object.keys(fields ?? {}))
		.filter((name) => !ofWebhook.includes(name));
	expect(added.length).toBeGreaterThan(5);
	expect(added.filter((name) => !actions.includes(`\`${name}\``))).toEqual([]);
});

it('Each name that a text of the nodes quotes is a label in the editor, or a name that a workflow stores', () => {
	const quoted = new Set(EVERY_TEXT.flatMap((text) => namesIn(text, QUOTED)));
	expect(quoted.size).toBeGreaterThan(30);
	const unknown = [...quoted].filter(
		(name) => !LABELS.has(name) && !NAMES.has(name) && !EXAMPLES.has(name),
	);
	expect(unknown).toEqual([]);
});

it.each([
	[
		'README.md',
		/These are some of the fields of a reply:\s+```json\s+(\{.+?\})\s+```/s,
		/"(\w+)":/g,
	],
	['docs/actions.md', /^## Make an API request\n(.+)/ms, /\$json\.(\w+)/g],
])('%s shows fields that the items of a trigger have if no option is set', (file, part, field) => {
	const shown = namesIn(part.exec(read(file))?.[1] ?? '', field);
	expect(shown.length).toBeGreaterThan(3);
	const item = defaultItem(sampleActivity('emailsReplied'));
	expect(shown.filter((name) => !(name in item))).toEqual([]);
});

it('The trigger shows AI models the item that it has without options', () => {
	const { searchHint = '' } = new OutreachServiceTrigger().description.builderHint ?? {};
	const [, shown = '{}'] = /Each event is one flat item: (\{.+?\})\. /.exec(searchHint) ?? [];
	const activity = JSON.parse(shown) as object;
	expect(Object.keys(activity).length).toBeGreaterThan(3);
	expect(defaultItem(activity)).toEqual(activity);
});

/** How the description of the trigger names events. */
const NAMED_IN_DESCRIPTION: Readonly<Record<string, string>> = {
	replies: 'emailsReplied',
	bounces: 'emailsBounced',
	calls: 'dialerEnded',
	'accepted invites': 'networkInviteAccepted',
};

it('Each event that the description of the trigger names exists', () => {
	const { description } = new OutreachServiceTrigger().description;
	const [, named = ''] =
		/events of your outreach campaigns: (.+) and more$/.exec(description) ?? [];
	expect(named.split(', ')).toEqual(Object.keys(NAMED_IN_DESCRIPTION));
	const unknown = Object.values(NAMED_IN_DESCRIPTION).filter((type) => !EVENT_TYPES.has(type));
	expect(unknown).toEqual([]);
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

it('docs/actions.md explains each choice in a field of an operation; docs/events.md lists the events', () => {
	const fields = RESOURCES.flatMap(({ operations }) => operations)
		.flatMap(({ properties: all }) => all)
		.filter(({ name }) => name !== 'event');
	const explained = read('docs/actions.md');
	const names = fields.flatMap(({ options: all = [] }) =>
		all.flatMap((one) => ('value' in one ? [one.name] : [])),
	);
	expect(names).toEqual(expect.arrayContaining(['Earlier Schema', 'JSON Schema', 'PATCH']));
	const isExplained = (name: string) =>
		new RegExp(`(?<![a-z])${name}(?![a-z])`, 'i').test(explained);
	expect(names.filter((name) => !isExplained(name))).toEqual([]);
});

it('Each heading of docs/trigger.md that is not a chapter of its own is the name of an option', () => {
	const chapters = [
		'Reaching n8n',
		'Which options do I need?',
		'All options',
		'When webhooks change',
		'Expressions',
	];
	const headings = namesIn(read('docs/trigger.md'), /^## (.+)$/gm);
	expect(headings).toEqual(expect.arrayContaining([...chapters, 'Only When']));
	const names = options.map(({ displayName }) => displayName);
	expect(headings.filter((one) => !names.includes(one) && !chapters.includes(one))).toEqual([]);
});

/** Options whose choices need no explanation: to add *Separate Outputs* is to choose one for each event. */
const EXPLAINED_AS_A_WHOLE = ['outputs'];

it.each(
	options.filter(({ name, type }) => type === 'options' && !EXPLAINED_AS_A_WHOLE.includes(name)),
)(
	'The section $displayName of docs/trigger.md explains each choice',
	({ displayName, options: all = [] }) => {
		const [, section = ''] = read('docs/trigger.md').split(`\n## ${displayName}\n`);
		const [explained = ''] = section.split('\n## ');
		const names = all.flatMap((one) => ('value' in one ? [one.name] : []));
		expect(names.length).toBeGreaterThan(1);
		expect(names.filter((name) => !explained.includes(name))).toEqual([]);
	},
);

it.each([
	['Filters', 'filters'],
	['Create', 'additionalFields'],
])('The section %s of docs/actions.md names each of the %s', (heading, collection) => {
	const [, section = ''] = read('docs/actions.md').split(`\n## ${heading}\n`);
	const [explained = ''] = section.split('\n## ');
	const fields = RESOURCES.flatMap(({ operations }) => operations)
		.flatMap(({ properties: all }) => all)
		.filter(({ name }) => name === collection)
		.flatMap(({ options: all = [] }) => all)
		.flatMap((one) => ('displayName' in one ? [one.displayName] : []));
	expect(fields).toContain('Campaign ID');
	expect(fields.filter((name) => !explained.includes(`_${name}_`))).toEqual([]);
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
