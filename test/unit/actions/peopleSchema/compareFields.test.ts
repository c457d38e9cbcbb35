/** Which fields of two schemas count as added, removed or changed. */
import fc from 'fast-check';

import { compareFields } from '../../../../nodes/OutreachService/actions/peopleSchema/compare.operation';
import type { SchemaField } from '../../../../nodes/OutreachService/actions/peopleSchema/schema';

it('A comparison lists exactly the changes that turn one schema into the other, with the types and whether they are lists', () => {
	const fields: fc.Arbitrary<SchemaField[]> = fc.uniqueArray(
		fc.record({
			path: fc.constantFrom('a', 'b', 'b.x', 'c', 'c[].y', 'd', 'e'),
			type: fc.constantFrom('string', 'integer', 'object', 'unknown'),
			isArray: fc.boolean(),
		}),
		{ selector: ({ path }) => path },
	);
	const isUnknown = ({ type }: SchemaField) => type === 'unknown';
	const types = (some: SchemaField[]) =>
		new Map(some.map(({ path, type, isArray }) => [path, isArray ? `${type}[]` : type]));
	fc.assert(
		fc.property(fields, fields, (before, now) => {
			const { changed, added, removed, retyped } = compareFields(before, now);
			const result = types([...before, ...added]);
			// What is unknown on either side may be the same.
			const unknown = [...before, ...now].filter(isUnknown).map(({ path }) => path);
			for (const { path } of removed) expect(result.delete(path)).toBe(true);
			for (const { path, from, to } of retyped) {
				expect(result.get(path)).toBe(from);
				expect(unknown).not.toContain(path);
				result.set(path, to);
			}
			const current = types(now);
			expect([...result.keys()].sort()).toEqual([...current.keys()].sort());
			for (const path of unknown) for (const side of [result, current]) side.delete(path);
			expect(Object.fromEntries(result)).toEqual(Object.fromEntries(current));
			// A later node may change the item, which must not change the fields that were compared.
			for (const one of [...added, ...removed]) expect([...before, ...now]).not.toContain(one);
			expect(changed).toBe(added.length > 0 || removed.length > 0 || retyped.length > 0);
		}),
	);
});
