import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';
import { z } from 'zod';
import type { SwitchChanges } from '../../../tools/service/index';
import { without } from '../../../tools/service/support/without';
import { PEOPLE_FIELDS } from '../../../tools/service/model/peopleFields';

const schemaWith = async (switches: SwitchChanges) => {
	const running = await service({ switches });
	return (await callApi(running, 'GET', '/schema/people')).json;
};

describe('§2.2 the People record', () => {
	it('has 28 fields, and the documented number of fields in each list', () => {
		const names = Object.keys(PEOPLE_FIELDS);
		expect(names).toHaveLength(28);
		const count = (name: string) => {
			const type = PEOPLE_FIELDS[name];
			return typeof type === 'object' && typeof type.listOf === 'object'
				? Object.keys(type.listOf).length
				: undefined;
		};
		expect(count('education')).toBe(12);
		expect(count('experiences')).toBe(34);
		expect(['interests', 'languages', 'skills'].map(count)).toEqual([2, 2, 2]);
	});
});

describe('§4.4 GET /schema/people', () => {
	it('returns a JSON Schema of all fields', async () => {
		expect(await schemaWith({})).toMatchObject({
			type: 'object',
			properties: {
				lead_id: { type: 'integer' },
				_score: { type: 'number' },
				geopoint: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
				languages: {
					type: 'array',
					items: { type: 'object', properties: { proficiency: { type: 'string' } } },
				},
				experiences: { items: { properties: { main_in_profile: { type: 'boolean' } } } },
			},
		});
	});

	it('schemaShape properties returns properties as in OpenAPI', async () => {
		expect(await schemaWith({ schemaShape: 'properties' })).toMatchObject({
			properties: {
				lead_id: { type: 'integer', nullable: true },
				skills: { type: 'array', items: { properties: { skill: { type: 'string' } } } },
			},
		});
	});

	it('schemaShape map returns a map of names to types', async () => {
		expect(await schemaWith({ schemaShape: 'map' })).toMatchObject({
			lead_id: 'integer',
			geopoint: ['number'],
			skills: [{ skill: 'string', skill_id: 'string' }],
		});
	});

	it('schemaShape list returns an entry with name and type for each field', async () => {
		const list = await schemaWith({ schemaShape: 'list' });
		expect(list).toHaveLength(28);
		expect(list).toContainEqual({ name: 'lead_id', type: 'integer' });
		expect(list).toContainEqual({ name: 'geopoint', type: 'array', items: { type: 'number' } });
		expect(list).toContainEqual({
			name: 'languages',
			type: 'array',
			items: [
				{ name: 'language', type: 'string' },
				{ name: 'proficiency', type: 'string' },
			],
		});
	});

	it('schemaShape sample returns a record with a value for each field', async () => {
		expect(await schemaWith({ schemaShape: 'sample' })).toMatchObject({
			lead_id: 7,
			_score: 0.5,
			full_name: 'text',
			geopoint: [0.5, 0.5],
			experiences: [{ main_in_profile: true, company_id: 7 }],
		});
	});

	it.each(['jsonSchema', 'properties', 'map', 'list', 'sample'] as const)(
		'schemaEnvelope wraps %s with a version',
		async (schemaShape) => {
			const plain = await schemaWith({ schemaShape });
			const wrapped = await schemaWith({ schemaShape, schemaEnvelope: 'schema' });
			expect(wrapped).toEqual({ schema: plain, version: '1.0.0' });
		},
	);

	it('§9.2 schemaFields changed adds a field, removes one and changes the type of one', async () => {
		const before = await schemaWith({ schemaShape: 'map' });
		const rest = without(z.record(z.string(), z.unknown()).parse(before), ['department']);
		expect(await schemaWith({ schemaShape: 'map', schemaFields: 'changed' })).toEqual({
			...rest,
			connections_count: 'string',
			pronouns: 'string',
		});
	});
});
