/** What the editor makes of the descriptions of both nodes. */
import { readFileSync } from 'node:fs';

import type { INodeParameters, INodeProperties, INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { RESOURCES } from '../../nodes/OutreachService/actions';
import { OutreachService } from '../../nodes/OutreachService/OutreachService.node';
import { OutreachServiceTrigger } from '../../nodes/OutreachService/OutreachServiceTrigger.node';
import { selectionSchema } from '../../nodes/OutreachService/parameters/selection';
import { options } from '../../nodes/OutreachService/trigger/description/options';
import { DESCRIPTIONS, DESCRIPTIONS_FILE } from '../../tools/docs/descriptions';

it('test/descriptions.txt has what n8n knows of the nodes: npm run docs', () => {
	expect(readFileSync(DESCRIPTIONS_FILE, 'utf8')).toBe(DESCRIPTIONS);
});

/** The labels of the fields that the editor shows, by n8n's own rule. */
const shownBy = ({ description }: INodeType, parameters: INodeParameters): string[] =>
	description.properties
		.filter((property) => {
			const node = { typeVersion: description.defaultVersion ?? Number(description.version) };
			return NodeHelpers.displayParameter(parameters, property, node, description);
		})
		.map(({ displayName }) => displayName);

const trigger = new OutreachServiceTrigger();
const action = new OutreachService();

describe('The editor shows', () => {
	it.each([{}, { customEventTypes: '' }, { customEventTypes: '={{ $vars.types }}' }])(
		'one Trigger On with the options %j, although it is required only without custom types',
		(given) => {
			const shown = shownBy(trigger, { events: ['warmed'], options: given });
			expect(shown.filter((label) => label === 'Trigger On')).toHaveLength(1);
		},
	);

	it('for each operation one list of operations, and each of its own fields at most once', () => {
		for (const { value: resource, operations } of RESOURCES) {
			for (const { value: operation, properties } of operations) {
				const shown = shownBy(action, { resource, operation });
				const own = properties.map(({ displayName }) => displayName);
				expect(shown.slice(0, 2)).toEqual(['Resource', 'Operation']);
				expect(shown.slice(2).filter((label) => !own.includes(label))).toEqual([]);
				expect(new Set(shown).size).toBe(shown.length);
			}
		}
	});
});

describe('The editor and the schema of the trigger have the same limits:', () => {
	const read = (given: object) => selectionSchema.safeParse({ events: ['warmed'], ...given });

	/** A field for a number, and the options that set it. */
	type NumberField = { field: INodeProperties; given: (value: number) => object };

	const numbers = options.flatMap((option): NumberField[] => {
		if (option.type === 'number') {
			return [{ field: option, given: (value) => ({ [option.name]: value }) }];
		}
		// A collection such as the limits of a batch has its fields inside.
		return (option.options ?? [])
			.flatMap((one) => ('values' in one ? one.values : []))
			.filter(({ type }) => type === 'number')
			.map((field) => ({
				field,
				given: (value) => ({ [option.name]: { values: { [field.name]: value } } }),
			}));
	});

	it.each(numbers)('$field.displayName', ({ field: { typeOptions = {} }, given }) => {
		const { minValue = NaN, maxValue = NaN, numberPrecision = NaN } = typeOptions;
		const step = 10 ** -numberPrecision;
		expect(step).toBeGreaterThan(0);
		const isAccepted = (value: number) => read(given(value)).success;
		expect([minValue - step, minValue, maxValue, maxValue + step].map(isAccepted)).toEqual([
			false,
			true,
			true,
			false,
		]);
	});
});

describe('A missing option of the trigger is what the editor would set:', () => {
	const read = (given: object) => selectionSchema.parse({ events: ['warmed'], ...given });

	const isPlain = ({ name, type }: (typeof options)[number]): boolean =>
		!['filter', 'fixedCollection'].includes(type) && !['outputs', 'testWith'].includes(name);

	it.each(options.filter(isPlain))('$displayName', ({ name, default: initial }) => {
		expect(read({ [name]: initial })).toEqual(read({}));
	});

	it('but for Separate Outputs and Test With, which adding the option switches on', () => {
		const added = (wanted: string) => options.find(({ name }) => name === wanted)?.default;
		expect([added('outputs'), added('testWith')]).toEqual(['perEvent', 'sampleEvent']);
		expect(read({})).toMatchObject({ outputs: 'single', testWith: 'realEvent' });
	});

	it('and each limit of a batch that is added', () => {
		const batch = options.find(({ name }) => name === 'batch')!;
		const [limits] = batch.options ?? [];
		const fields = limits && 'values' in limits ? limits.values : [];
		const defaults = Object.fromEntries(
			fields.map(({ name, default: initial }) => [name, initial]),
		);
		expect(Object.keys(defaults)).toEqual(['maxEvents', 'maxSeconds', 'groupBy']);
		expect(read({ batch: {} }).batch).toEqual(defaults);
		expect(batch.default).toEqual({ values: defaults });
		for (const name of Object.keys(defaults)) {
			const { [name]: left, ...others } = defaults;
			expect([left, read({ batch: { values: others } }).batch]).toEqual([left, defaults]);
		}
	});
});
