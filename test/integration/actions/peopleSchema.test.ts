/**
 * Get and Compare of the people schema read each form in which a service may describe its records. The world is a local
 * service and the action node in one process of n8n.
 */
import { Ajv2020 } from 'ajv/dist/2020';
import { z } from 'zod';

import { compare as compareOperation } from '../../../nodes/OutreachService/actions/peopleSchema/compare.operation';
import { DOCUMENTED_PEOPLE_FIELDS } from '../../../nodes/OutreachService/actions/peopleSchema/documentedFields';
import { jsonOf } from '../support/action';
import { peopleSchema } from '../../../tools/service/model/peopleSchema';
import type { Switches } from '../../../tools/service/switches';
import { useWorld } from '../support/world';

const world = useWorld();

/** One for all, because making it takes long. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

/** The compiler asks for a new one. */
const SHAPES = {
	jsonSchema: 'jsonSchema',
	properties: 'properties',
	map: 'map',
	list: 'list',
	sample: 'sample',
} as const satisfies { [Shape in Switches['schemaShape']]: Shape };
/** Every other shape is in an envelope. */
const ALL = Object.values(SHAPES).map((schemaShape, index) => ({
	schemaShape,
	schemaEnvelope: (['none', 'schema'] as const)[index % 2]!,
}));
/** What a user can compare with. */
const BASELINES = compareOperation.properties
	.filter(({ name }) => name === 'baseline')
	.flatMap(({ options = [] }) => options.flatMap((one) => ('value' in one ? [one.value] : [])));

const people = async (operation: string, parameters = {}, options = {}) =>
	await world.runNode({ resource: 'peopleSchema', operation, ...parameters }, options);
/** The response of the service itself. */
const fetchSchema = async (): Promise<unknown> => {
	const { baseUrl, apiKey } = world.service;
	const Authorization = `Basic ${Buffer.from(`:${apiKey}`).toString('base64')}`;
	const response = await fetch(`${baseUrl}/schema/people`, { headers: { Authorization } });
	return await response.json();
};
/** A record with every field of §2.2. */
const DOCUMENTED_RECORD = z
	.record(z.unknown())
	.parse(
		peopleSchema({ schemaShape: 'sample', schemaEnvelope: 'none', schemaFields: 'documented' }),
	);
const CHANGES = {
	changed: true,
	added: [{ path: 'pronouns', type: 'string', isArray: false }],
	removed: [{ path: 'department', type: 'string', isArray: false }],
	retyped: [{ path: 'connections_count', from: 'integer', to: 'string' }],
};
const NO_CHANGES = { changed: false, added: [], removed: [], retyped: [] };

describe.each(ALL)('With the schema as %j', (switches) => {
	beforeEach(() => {
		world.service.setSwitches(switches);
	});

	it('Get, with the output Raw, returns the response of the service', async () => {
		const schema = await fetchSchema();
		const items = await people('get', {}, { items: [{}, {}] });
		const expected: unknown[] = Array.isArray(schema) ? schema : [schema];
		expect(jsonOf(items)).toEqual([...expected, ...expected]);
		expect(items.at(-1)?.pairedItem).toEqual({ item: 1 });
	});

	it('Get, with the output Fields, lists every documented field with its type', async () => {
		expect(jsonOf(await people('get', { output: 'fields' }))).toEqual(DOCUMENTED_PEOPLE_FIELDS);
	});

	it('Get, with the output JSON Schema, describes the documented record, and refuses another', async () => {
		const items = jsonOf(await people('get', { output: 'jsonSchema' }));
		expect(items).toHaveLength(1);
		const validate = ajv.compile(items[0] ?? {});
		expect([validate(DOCUMENTED_RECORD), validate.errors]).toEqual([true, null]);
		expect(validate({ ...DOCUMENTED_RECORD, lead_id: 'seven' })).toBe(false);
		expect(validate({ ...DOCUMENTED_RECORD, experiences: [{ company_id: 'seven' }] })).toBe(false);
	});

	it('Compare finds no change to the documented schema, and then added, removed and retyped fields', async () => {
		expect(jsonOf(await people('compare'))).toEqual([NO_CHANGES]);
		world.service.setSwitches({ schemaFields: 'changed' });
		expect(jsonOf(await people('compare', { baseline: 'documented' }))).toEqual([CHANGES]);
	});

	it.each(['raw', 'fields', 'jsonSchema'])(
		'Compare accepts an earlier %s output in every form',
		async (output) => {
			const earlier = jsonOf(await people('get', { output }));
			const only = earlier.length === 1 ? [earlier[0]] : [];
			// As n8n's output panel copies it, as a single item, and as the Aggregate node combines several items.
			const forms = [earlier, ...only, { data: earlier }, [{ data: earlier }]];
			const compare = async (value: unknown, baselineSchema: string) =>
				jsonOf(
					await people(
						'compare',
						{ baseline: 'custom', baselineSchema },
						{ items: [{ earlier: value }] },
					),
				);
			for (const form of forms) {
				expect(await compare(null, JSON.stringify(form))).toEqual([NO_CHANGES]);
				expect(await compare(form, '={{ $json.earlier }}')).toEqual([NO_CHANGES]);
			}
			world.service.setSwitches({ schemaFields: 'changed' });
			expect(await compare(null, JSON.stringify(earlier))).toEqual([CHANGES]);
		},
	);
});

it.each([
	'{"error":"Unauthorized"}',
	'{"answer":42}',
	'[{"id":1},{"id":2}]',
	'{"path":"full_name","type":"string","isArray":false}',
])('Compare refuses %s, which is no schema', async (baselineSchema) => {
	const error = await world.failNode({
		resource: 'peopleSchema',
		operation: 'compare',
		baseline: 'custom',
		baselineSchema,
	});
	expect(error.message).toBe("The value of 'Earlier Schema' cannot be used");
	expect(error.description).toMatch(/^It is not a schema\. /);
});

it.each(['fields', 'jsonSchema'])(
	'Get says that a hostile schema is too large (%s)',
	async (output) => {
		const any = { anyOf: Array.from({ length: 4_000 }, () => ({ $ref: '#/definitions/any' })) };
		const schema = { properties: { a: any }, definitions: { any } };
		world.respondOnce('GET', schema);
		const error = await world.failNode({ resource: 'peopleSchema', operation: 'get', output });
		expect(error.message).toBe('The people schema is too large');
	},
);

it.each([
	['a maintenance message', { state: 'maintenance', until: 'tomorrow' }],
	['a message in an envelope', { data: { notice: 'string' }, meta: { page: 1 } }],
	['another record', { nickname: 'string' }],
])(
	'%s, which has none of the documented fields, is an unknown format, whatever the baseline',
	async (_, body) => {
		const baselines = [{ baseline: 'documented' }, { baseline: 'custom', baselineSchema: body }];
		expect(baselines.map(({ baseline }) => baseline).sort()).toEqual([...BASELINES].sort());
		for (const parameters of [
			...baselines.map((baseline) => ({ operation: 'compare', ...baseline })),
			{ operation: 'get', output: 'fields' },
		]) {
			world.respondOnce('GET', body);
			const error = await world.failNode({ resource: 'peopleSchema', ...parameters });
			expect(error.message).toBe('The people schema has an unknown format');
			expect(error.description).toContain("output 'Raw'");
		}
	},
);

it.each<[string, object]>([
	['in an envelope with meta', { data: [{ full_name: 'A', country: 'B' }], meta: { total: 1 } }],
	['in a list of results', { results: [{ full_name: 'A', country: 'B' }], total: 1 }],
	[
		'as the mapping of a search index',
		{
			people_v3: {
				mappings: { properties: { full_name: { type: 'text' }, country: { type: 'keyword' } } },
			},
		},
	],
	[
		'with properties beside a reference',
		{
			$ref: '#/definitions/Named',
			properties: { country: { type: 'string' } },
			definitions: { Named: { type: 'object', properties: { full_name: { type: 'string' } } } },
		},
	],
])('The record is found %s', async (_, body) => {
	world.respondOnce('GET', body);
	expect(jsonOf(await people('get', { output: 'fields' }))).toEqual([
		{ path: 'country', type: 'string', isArray: false },
		{ path: 'full_name', type: 'string', isArray: false },
	]);
});

it('A boolean schema allows anything', async () => {
	world.respondOnce('GET', { type: 'object', properties: { full_name: true, country: false } });
	expect(jsonOf(await people('get', { output: 'fields' }))).toEqual([
		{ path: 'country', type: 'unknown', isArray: false },
		{ path: 'full_name', type: 'unknown', isArray: false },
	]);
});

it.each(['["a", "b"]', '{}', '[[]]'])(
	'suggests the output Raw when the service responds with %s, which is no schema',
	async (body) => {
		world.service.addFault({ kind: 'status', status: 200, body, times: 4 });
		for (const parameters of [
			{ operation: 'get', output: 'fields' },
			{ operation: 'get', output: 'jsonSchema' },
			{ operation: 'compare' },
		]) {
			const error = await world.failNode({ resource: 'peopleSchema', ...parameters });
			expect(error.message).toBe('The people schema has an unknown format');
			expect(error.description).toContain("output 'Raw'");
			expect(error.context?.itemIndex).toBe(0);
		}
		const [item] = jsonOf(await people('get', { output: 'raw' }));
		expect([item, item?.schema]).toContainEqual(JSON.parse(body));
	},
);

it.each(['42', '', '<html>', '{"success":false,"error":"No","data":null}'])(
	'treats the response %s as that of another server',
	async (body) => {
		world.service.addFault({ kind: 'status', status: 200, body });
		const error = await world.failNode({ resource: 'peopleSchema', operation: 'get' });
		expect(error.message).toMatch(/does not look like the service's API$|^A web page came/);
	},
);

/** All objects and lists in a value. */
const objectsIn = (value: unknown): object[] =>
	typeof value === 'object' && value !== null
		? [value, ...Object.values(value).flatMap(objectsIn)]
		: [];

it.each(['raw', 'fields', 'jsonSchema'])(
	'gives each item objects of its own, in all places, with the output %s, and so does Get Many',
	async (output) => {
		world.addWebhook();
		for (const items of [
			await people('get', { output }, { items: [{}, {}] }),
			await world.run('getAll', {}, { items: [{}, {}] }),
		]) {
			const objects = objectsIn(jsonOf(items));
			expect(new Set(objects).size).toBe(objects.length);
		}
	},
);

it('sends one request for all items', async () => {
	await people('compare', {}, { items: [{}, {}, {}] });
	expect(world.requests()).toEqual(['GET /schema/people']);
});
