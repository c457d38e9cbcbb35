import { z } from 'zod';
import type { SwitchChanges } from '../../../tools/service';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const schemaWith = async (switches: SwitchChanges) =>
	(await callApi(await service({ switches }), 'GET', '/schema/people')).json;

const recordWith = async (switches: SwitchChanges = {}) =>
	z.record(z.unknown()).parse(await schemaWith({ schemaShape: 'sample', ...switches }));

const itemSchema = z.array(z.record(z.unknown())).nonempty();

describe('§2.2 the People record', () => {
	it('has 28 fields, and the documented number of fields in each list', async () => {
		const record = await recordWith();
		expect(Object.keys(record)).toHaveLength(28);
		const lists = ['education', 'experiences', 'interests', 'languages', 'skills'];
		const counts = lists.map((name) => Object.keys(itemSchema.parse(record[name])[0]).length);
		expect(counts).toEqual([12, 34, 2, 2, 2]);
	});
});

/** The same fields in each shape: a number, one in a list of numbers, and texts in a list of objects. */
const SHAPES = {
	jsonSchema: {
		type: 'object',
		properties: {
			lead_id: { type: 'integer' },
			geopoint: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
			skills: {
				type: 'array',
				items: { type: 'object', properties: { skill: { type: 'string' } } },
			},
		},
	},
	properties: {
		properties: {
			lead_id: { type: 'integer', nullable: true },
			skills: { type: 'array', items: { properties: { skill: { type: 'string' } } } },
		},
	},
	map: {
		lead_id: 'integer',
		geopoint: ['number'],
		skills: [{ skill: 'string', skill_id: 'string' }],
	},
	list: expect.arrayContaining([
		{ name: 'lead_id', type: 'integer' },
		{ name: 'geopoint', type: 'array', items: { type: 'number' } },
		{
			name: 'skills',
			type: 'array',
			items: [
				{ name: 'skill', type: 'string' },
				{ name: 'skill_id', type: 'string' },
			],
		},
	]) as unknown[],
	sample: { lead_id: 7, geopoint: [0.5, 0.5], skills: [{ skill: 'text', skill_id: 'text' }] },
};

describe('§4.4 GET /schema/people', () => {
	it.each(Object.keys(SHAPES) as Array<keyof typeof SHAPES>)(
		'with schemaShape %s describes the fields so, and schemaEnvelope wraps that with a version',
		async (schemaShape) => {
			const plain = await schemaWith({ schemaShape });
			const shape = SHAPES[schemaShape];
			if (Array.isArray(plain)) expect(plain).toEqual(shape);
			else expect(plain).toMatchObject(shape);
			const wrapped = await schemaWith({ schemaShape, schemaEnvelope: 'schema' });
			expect(wrapped).toEqual({ schema: plain, version: '1.0.0' });
		},
	);
});
