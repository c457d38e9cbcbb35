import { RESOURCES } from '../../../nodes/OutreachService/actions';
import { OutreachServiceTrigger } from '../../../nodes/OutreachService/OutreachServiceTrigger.node';
import { EVERY_PROPERTY, type Found } from './everyProperty';

/** The fields that users fill in: without the two selectors for the list of actions, notices and collections. */
const fields = EVERY_PROPERTY.filter(
	({ property: { name, type } }) =>
		!['resource', 'operation'].includes(name) && !['notice', 'collection'].includes(type),
);

const ofType = (...types: string[]): Array<[string, Found['property']]> =>
	fields.filter(({ property }) => types.includes(property.type)).map((f) => [f.path, f.property]);

const all = fields.map(({ path, property }): [string, Found['property']] => [path, property]);

describe('A field', () => {
	it.each(all)('has a description: %s', (_path, { description }) => {
		expect(description).toMatch(/^[A-Z].{8,}/);
	});

	it.each(all)(
		'ends its description with a full stop only if it has several sentences: %s',
		(_path, { description = '' }) => {
			const isSeveral = /[.!?] [A-Z"0-9]/.test(description);
			expect(description.endsWith('.')).toBe(isSeveral);
		},
	);

	it.each(ofType('string', 'json'))('shows an example: %s', (_path, property) => {
		if (property.typeOptions?.password) return;
		expect(property.placeholder).toMatch(/^e\.g\. /);
	});

	it.each(ofType('number'))(
		'has an example, or a default that serves as one: %s',
		(_path, property) => {
			expect(property.placeholder ?? property.default).toBeTruthy();
		},
	);

	it.each(ofType('boolean'))("has a description that begins with 'Whether': %s", (_path, p) => {
		expect(p.description).toMatch(/^Whether /);
	});

	it.each(ofType('options', 'multiOptions'))('explains every choice: %s', (_path, property) => {
		for (const option of property.options ?? []) expect(option).toHaveProperty('description');
	});

	it.each(ofType('resourceLocator'))('can be chosen from a list first: %s', (_path, { modes }) => {
		expect(modes?.[0]?.type).toBe('list');
		expect(modes?.[1]?.placeholder).toMatch(/^e\.g\. /);
	});
});

describe('An operation', () => {
	const operations = RESOURCES.flatMap(({ name, operations: all_ }) =>
		all_.map((operation) => ({ resource: name.toLowerCase(), ...operation })),
	);

	it.each(operations)('has an action that names the resource: $action', ({ action, resource }) => {
		expect(action.toLowerCase()).toContain(resource);
		expect(action).toMatch(/^[A-Z][a-z ]+$/);
		expect(action).not.toMatch(/ (a|an|the) /);
	});

	it.each(operations)('says more in its description than in its name: $action', (operation) => {
		expect(operation.description.length).toBeGreaterThan(operation.name.length + 10);
		expect(operation.description).not.toMatch(/\.$/);
	});
});

describe('A choice with side effects', () => {
	const noticesIn = (part: string) =>
		EVERY_PROPERTY.filter(
			({ path, property }) => path.split(' › ')[0]?.includes(part) && property.type === 'notice',
		);

	it.each(['webhook: deleteMany', 'webhook: rotateSecret'])('has a notice: %s', (operation) => {
		expect(noticesIn(operation)).toHaveLength(1);
	});

	it('has a notice in the trigger: all events, a single webhook for everything, and a secret that is not verified', () => {
		const shownFor = noticesIn('Trigger').map(({ property }) => property.displayOptions?.show);
		expect(shownFor).toEqual([
			{ events: ['*'] },
			{ '/options.subscription': ['singleHook'] },
			{ '/options.verifySecret': [false] },
		]);
	});
});

it("Each event in n8n's list of triggers has a name of its own", () => {
	const { properties } = new OutreachServiceTrigger().description;
	const events = properties.find(({ name }) => name === 'events')?.options ?? [];
	const names = events.map((event) => ('action' in event ? event.action : undefined));
	expect(names).toContain('On email reply received');
	expect(new Set(names).size).toBe(events.length);
	for (const name of names) expect(name).toMatch(/^On /);
});
