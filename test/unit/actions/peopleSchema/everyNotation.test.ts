import fc from 'fast-check';

import { NOTATIONS, record, type Field } from './everyRecord';
import type { SchemaField } from '../../../../nodes/OutreachService/actions/peopleSchema/schema';
import { readSchemaFields } from './read';

const flat = (fields: Field[], prefix = ''): SchemaField[] =>
	fields.flatMap(({ name, isArray, kind: of }) => {
		const path = `${prefix}${name}`;
		if (typeof of === 'string') return [{ path, type: of, isArray }];
		const inside = flat(of, `${path}${isArray ? '[]' : ''}.`);
		return [{ path, type: 'object', isArray }, ...inside];
	});

const byPath = (fields: SchemaField[] | undefined) =>
	Object.fromEntries((fields ?? []).map((field) => [field.path, field]));

describe.each(NOTATIONS)('Any record described by %s', (_, write) => {
	it('is read as its fields', () => {
		fc.assert(
			fc.property(record, (fields) => {
				expect(byPath(readSchemaFields(write(fields)))).toEqual(byPath(flat(fields)));
			}),
		);
	});

	it('may be inside an envelope, beside a version and an empty error', () => {
		const key = fc.constantFrom(
			'schema',
			'definition',
			'fields',
			'person',
			'people',
			'data',
			'result',
		);
		fc.assert(
			fc.property(record, key, (fields, envelope) => {
				const schema = write(fields);
				const wrapped = { [envelope]: schema, version: '1.0.0', error: null };
				const listed = readSchemaFields(schema);
				expect(readSchemaFields(wrapped)).toEqual(listed);
				expect(readSchemaFields([wrapped])).toEqual(listed);
			}),
		);
	});
});
