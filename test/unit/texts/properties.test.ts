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

	it('for a webhook lets users choose from a list first', () => {
		const rule = ({ modes = [] }: Property) =>
			modes[0]?.type === 'list' && isExample(modes[1]?.placeholder);
		expect(offenders(rule, 'resourceLocator')).toEqual([]);
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
