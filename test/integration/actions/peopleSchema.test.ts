/**
 * Get and Compare of the people schema: their outputs, and what cannot be read. Which schemas can be read:
 * `test/unit/actions/peopleSchema/`. The world is a local service and the action node in one process of n8n.
 */
import { Ajv2020 } from 'ajv/dist/2020';

import { DOCUMENTED_PEOPLE_FIELDS } from '../../../nodes/OutreachService/actions/peopleSchema/documentedFields';
import { peopleSchema } from '../../../tools/service/model/peopleSchema';
import { jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const people = async (operation: string, parameters = {}, options = {}) =>
	jsonOf(await world.runNode({ resource: 'peopleSchema', operation, ...parameters }, options));
const failPeople = async (operation: string, parameters = {}) =>
	await world.failNode({ resource: 'peopleSchema', operation, ...parameters });
/** The people schema of the local service in one of its shapes. */
const schemaAs = (schemaShape: 'jsonSchema' | 'map' | 'sample') =>
	peopleSchema({ schemaShape, schemaFields: 'documented' });

const CANNOT = 'The response cannot be read as a schema';
const CHANGES = {
	changed: true,
	added: [{ path: 'pronouns', type: 'string', isArray: false }],
	removed: [{ path: 'department', type: 'string', isArray: false }],
	retyped: [{ path: 'connections_count', from: 'integer', to: 'string' }],
};
const NO_CHANGES = { changed: false, added: [], removed: [], retyped: [] };

describe.each(['jsonSchema', 'map'] as const)('With the schema as %s', (schemaShape) => {
	beforeEach(() => {
		world.service.setSwitches({ schemaShape });
	});

	it('Get has the response of the service, every documented field, or the JSON Schema of a record', async () => {
		expect(await people('get')).toEqual([schemaAs(schemaShape)]);
		expect(await people('get', { output: 'fields' })).toEqual(DOCUMENTED_PEOPLE_FIELDS);
		const [schema, ...others] = await people('get', { output: 'jsonSchema' });
		expect(others).toEqual([]);
		const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema ?? {});
		const record = schemaAs('sample');
		expect([validate(record), validate.errors]).toEqual([true, null]);
		expect(validate({ ...record, lead_id: 'seven' })).toBe(false);
		expect(validate({ ...record, experiences: [{ company_id: 'seven' }] })).toBe(false);
	});

	it.each(['raw', 'fields', 'jsonSchema'])(
		'Compare finds no change to the documented schema and an earlier %s output in every form, and then each change',
		async (output) => {
			const earlier = await people('get', { output });
			const only = earlier.length === 1 ? [earlier[0]] : [];
			// As n8n's output panel copies it, as a single item, and as the Aggregate node combines several items.
			const forms = [earlier, ...only, { data: earlier }, [{ data: earlier }]];
			const compare = async (value: unknown, baselineSchema: string) =>
				await people(
					'compare',
					{ baseline: 'custom', baselineSchema },
					{ items: [{ earlier: value }] },
				);
			expect(await people('compare')).toEqual([NO_CHANGES]);
			for (const form of forms) {
				expect(await compare(null, JSON.stringify(form))).toEqual([NO_CHANGES]);
				expect(await compare(form, '={{ $json.earlier }}')).toEqual([NO_CHANGES]);
			}
			world.service.setSwitches({ schemaFields: 'changed' });
			expect(await compare(null, JSON.stringify(earlier))).toEqual([CHANGES]);
			expect(await people('compare', { baseline: 'documented' })).toEqual([CHANGES]);
		},
	);
});

it('A type that JSON does not have is no change to an earlier JSON Schema, which cannot name it', async () => {
	const schema = { full_name: 'string', geopoint: 'geo_point', ids: ['bigint'] };
	world.respondOnce('GET', schema);
	const earlier = await people('get', { output: 'jsonSchema' });
	world.respondOnce('GET', schema);
	const parameters = { baseline: 'custom', baselineSchema: JSON.stringify(earlier) };
	const results = await people('compare', parameters, { items: [{}, {}] });
	expect(results).toEqual([NO_CHANGES, NO_CHANGES]);
});

it('Anything else cannot be read as a schema, and Raw shows it', async () => {
	world.service.setSwitches({ schemaShape: 'sample' });
	for (const output of ['fields', 'jsonSchema']) {
		const error = await failPeople('get', { output });
		expect(error.message).toBe(CANNOT);
		expect(error.description).toContain("output 'Raw'");
		expect(error.context?.itemIndex).toBe(0);
	}
	expect((await failPeople('compare')).message).toBe(CANNOT);
	expect(await people('get')).toEqual([schemaAs('sample')]);
});

it.each(['{"error":"Unauthorized"}', '[{"id":1},{"id":2}]', '{"nickname":"string"}'])(
	'Compare refuses the earlier schema %s, which is none',
	async (baselineSchema) => {
		const error = await failPeople('compare', { baseline: 'custom', baselineSchema });
		expect(error.message).toBe("The value of 'Earlier Schema' cannot be used");
		expect(error.description).toMatch(/^It is not a schema\. Paste the whole output/);
	},
);

it.each([
	{ baseline: 'documented' },
	{ baseline: 'custom', baselineSchema: '{"full_name":"string"}' },
])('A schema without any documented field cannot be compared with %j', async (parameters) => {
	world.respondOnce('GET', { nickname: 'string' });
	expect((await failPeople('compare', parameters)).message).toBe(CANNOT);
});

it.each(['42', '{"success":false,"error":"No","data":null}'])(
	'The response %s is that of another server',
	async (body) => {
		world.service.addFault({ kind: 'status', status: 200, body });
		expect((await failPeople('get')).message).toMatch(/does not look like the service's API$/);
	},
);

it('The schema is fetched once for all items, and output as long as all of them have no more than 64 MB', async () => {
	const body = JSON.stringify({ full_name: 'x'.repeat(16_000_000) });
	world.service.addFault({ kind: 'status', status: 200, body });
	const items = Array.from({ length: 6 }, () => ({}));
	const output = await people('get', {}, { items, continueOnFail: true });
	expect(world.requests()).toEqual(['GET /schema/people']);
	expect(output.filter(({ error }) => error === undefined)).toHaveLength(4);
	expect(output.at(-1)?.error).toMatch(
		/^The output of the node is too large\. .* turn on 'Execute Once'/,
	);
});
