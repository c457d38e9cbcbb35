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
import type { SwitchChanges } from '../../../tools/service';
import { useWorld } from '../support/world';

const world = useWorld();

/** One for all, because making it takes long. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

/** The shapes of the local service that are a schema for the node. */
const READABLE = ['jsonSchema', 'properties', 'map'] as const;

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

describe.each(READABLE)('With the schema as %s', (schemaShape) => {
	beforeEach(() => {
		world.service.setSwitches({ schemaShape });
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

it.each<[what: string, switches: SwitchChanges]>([
	['a list of fields', { schemaShape: 'list' }],
	['a record', { schemaShape: 'sample' }],
	['a schema in an envelope', { schemaEnvelope: 'schema' }],
])('%s cannot be read as a schema, and Raw shows it', async (_, switches) => {
	world.service.setSwitches(switches);
	const schema = await fetchSchema();
	for (const parameters of [{ output: 'fields' }, { output: 'jsonSchema' }]) {
		const error = await world.failNode({
			resource: 'peopleSchema',
			operation: 'get',
			...parameters,
		});
		expect(error.message).toBe('The response cannot be read as a schema');
		expect(error.description).toContain("output 'Raw'");
		expect(error.context?.itemIndex).toBe(0);
	}
	expect((await world.failNode({ resource: 'peopleSchema', operation: 'compare' })).message).toBe(
		'The response cannot be read as a schema',
	);
	expect(jsonOf(await people('get'))).toEqual([schema].flat());
});

it.each([
	'{"error":"Unauthorized"}',
	'{"answer":42}',
	'[{"id":1},{"id":2}]',
	'{"path":"full_name","type":"string","isArray":false}',
	'{"nickname":"string"}',
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

it('A schema without any documented field describes something else, whatever the baseline', async () => {
	const baselines = [
		{ baseline: 'documented' },
		{ baseline: 'custom', baselineSchema: '{"a":"string"}' },
	];
	expect(baselines.map(({ baseline }) => baseline).sort()).toEqual([...BASELINES].sort());
	for (const parameters of baselines) {
		world.respondOnce('GET', { nickname: 'string' });
		const error = await world.failNode({
			resource: 'peopleSchema',
			operation: 'compare',
			...parameters,
		});
		expect(error.message).toBe('The response cannot be read as a schema');
	}
});

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

/** A schema with so many fields, as a map. */
const large = (count: number): Record<string, string> => ({
	full_name: 'string',
	...Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, 'string'])),
});
const items = (count: number) => Array.from({ length: count }, () => ({}));

it('is fetched, read and compared once for all items', async () => {
	const body = JSON.stringify(large(20_000));
	const timeFor = async (count: number) => {
		world.service.addFault({ kind: 'status', status: 200, body });
		const startedAt = performance.now();
		const parameters = { baseline: 'custom', baselineSchema: '{"full_name":"string"}' };
		expect(await people('compare', parameters, { items: items(count) })).toHaveLength(count);
		return performance.now() - startedAt;
	};
	const one = await timeFor(1);
	expect(await timeFor(20)).toBeLessThan(one * 10 + 1_000);
	expect(world.requests()).toEqual(['GET /schema/people', 'GET /schema/people']);
});

it('is output as long as all items together have no more than 64 MB', async () => {
	const body = JSON.stringify({ full_name: 'x'.repeat(4_000_000) });
	world.service.addFault({ kind: 'status', status: 200, body });
	const output = jsonOf(await people('get', {}, { items: items(200), continueOnFail: true }));
	expect(output).toHaveLength(200);
	expect(output.filter(({ error }) => error === undefined)).toHaveLength(16);
	expect(output.at(-1)?.error).toMatch(
		/^The output of the node is too large\. .* turn on 'Execute Once'/,
	);
});
