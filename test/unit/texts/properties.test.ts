/** What holds of every field that the editor shows. */
import { runInNewContext } from 'node:vm';
import type { INodeProperties } from 'n8n-workflow';

import { RESOURCES } from '../../../nodes/OutreachService/actions';
import { OutreachService } from '../../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { EVERY_PROPERTY, type Found } from './everyProperty';

/** The fields that users fill in: without the two selectors for the list of actions, notices and collections. */
const fields = EVERY_PROPERTY.filter(
	({ property: { name, type } }) =>
		!['resource', 'operation'].includes(name) && !['notice', 'collection'].includes(type),
);

type Property = Found['property'];

/** The paths of the fields, of certain types or of all, that do not follow a rule. There must be fields to check. */
function offenders(rule: (property: Property) => boolean, ...types: string[]): string[] {
	const concerned = fields.filter(
		({ property }) => types.length === 0 || types.includes(property.type),
	);
	expect(concerned).not.toEqual([]);
	return concerned.filter(({ property }) => !rule(property)).map(({ path }) => path);
}

const isExample = (text = ''): boolean => text.startsWith('e.g. ');

describe('Every field', () => {
	it('for a text shows an example, unless it is a password', () => {
		const rule = ({ placeholder, typeOptions }: Property) =>
			typeOptions?.password === true || isExample(placeholder);
		expect(offenders(rule, 'string', 'json')).toEqual([]);
	});

	it('with choices explains each of them', () => {
		const rule = ({ options = [] }: Property) =>
			options.every((option) => 'description' in option && Boolean(option.description));
		expect(offenders(rule, 'options', 'multiOptions')).toEqual([]);
	});

	it('is shown or hidden for a value that another field can have', () => {
		const conditions = EVERY_PROPERTY.flatMap(({ property: { displayOptions } }) =>
			[displayOptions?.show, displayOptions?.hide]
				.flatMap((fields) => Object.entries(fields ?? {}))
				.flatMap(([name, values = []]) =>
					values.flatMap((value) =>
						typeof value === 'string' ? [`${name.replace('/options.', '')}: ${value}`] : [],
					),
				),
		);
		const choices = EVERY_PROPERTY.flatMap(({ property: { name, options = [] } }) =>
			options.flatMap((one) => ('value' in one ? [`${name}: ${one.value}`] : [])),
		);
		expect(conditions).not.toEqual([]);
		expect(conditions.filter((condition) => !choices.includes(condition))).toEqual([]);
	});

	it('for a webhook lets users choose from a list first', () => {
		const rule = ({ modes = [] }: Property) =>
			modes[0]?.type === 'list' && isExample(modes[1]?.placeholder);
		expect(offenders(rule, 'resourceLocator')).toEqual([]);
	});
});

describe('The options of the trigger', () => {
	const named = (properties: readonly INodeProperties[], wanted: string) =>
		properties.find(({ name }) => name === wanted);
	const { properties } = new OutreachServiceTrigger().description;
	const options = named(properties, 'options')?.options ?? [];
	const labels = options.flatMap((option) => ('displayName' in option ? [option.displayName] : []));

	it('are in alphabetical order, as n8n wants them', () => {
		expect(labels).toHaveLength(options.length);
		expect(labels).toEqual([...labels].sort());
	});

	it('list what hardly anybody needs together at the end', () => {
		expect(labels.filter((label) => label.startsWith('Webhooks: '))).toEqual([
			'Webhooks: First Event Only',
			'Webhooks: Repair Interval',
			'Webhooks: Report Problems',
			'Webhooks: Subscription',
			'Webhooks: Verify Secret',
		]);
	});
});

describe('The action node', () => {
	const { description } = new OutreachService();

	it('preselects no event for a new webhook, and requires one', () => {
		const event = EVERY_PROPERTY.find(({ path }) => path === 'Action webhook: create › Event');
		expect(event?.property).toMatchObject({ default: '', required: true });
	});

	it('says on the canvas what it does, in title case', () => {
		const code = /^=\{\{([^]*)\}\}$/.exec(description.subtitle ?? '')?.[1] ?? '';
		expect(code).not.toContain('}}');
		const shown = (resource: string, operation: string): unknown =>
			runInNewContext(code, { $parameter: { resource, operation } });
		expect(shown('webhook', 'getAll')).toBe('Get Many: Webhook');
		expect(shown('peopleSchema', 'compare')).toBe('Compare: People Schema');
		for (const { value, operations } of RESOURCES) {
			for (const operation of operations) {
				expect(shown(value, operation.value)).toMatch(/^[A-Z][\w ]+: [A-Z][\w ]+$/);
			}
		}
	});
});

describe('A choice with side effects', () => {
	const noticesIn = (part: string) =>
		EVERY_PROPERTY.filter(
			({ path, property }) => path.split(' › ')[0]?.includes(part) && property.type === 'notice',
		);

	it('has a notice in the action: many deletions, and a new secret', () => {
		for (const operation of ['webhook: deleteMany', 'webhook: rotateSecret']) {
			expect([operation, noticesIn(operation).length]).toEqual([operation, 1]);
		}
	});

	it('has a notice in the trigger: all events, events that these make needless, conditions, and no secret', () => {
		const shownFor = noticesIn('Trigger').map(({ property }) => property.displayOptions?.show);
		expect(shownFor).toEqual([
			{ events: ['*'] },
			{ events: ['*'] },
			{ '/options.onlyWhen': [{ _cnd: { exists: true } }] },
			{ '/options.verifySecret': [false] },
		]);
	});
});
