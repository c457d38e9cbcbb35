/** Which fields of two schemas count as added, removed or changed. */
import fc from 'fast-check';

import { compareFields } from '../../../../nodes/OutreachService/actions/peopleSchema/compare.operation';

const field = (path: string, type = 'string', isArray = false) => ({ path, type, isArray });

describe('Comparing two schemas', () => {
	const fields = fc.uniqueArray(
		fc.record({
			path: fc.constantFrom('a', 'b', 'b.x', 'c', 'c[].y', 'd', 'e'),
			type: fc.constantFrom('string', 'integer', 'object', 'unknown'),
			isArray: fc.boolean(),
		}),
		{ selector: ({ path }) => path },
	);

	it('gives the old and the new type of a field, including whether it is a list', () => {
		const before = [field('a', 'string', true), field('b'), field('c', 'integer')];
		const now = [field('a', 'integer', true), field('b', 'string', true), field('c', 'number')];
		expect(compareFields(before, now)).toEqual({
			changed: true,
			added: [],
			removed: [],
			retyped: [
				{ path: 'a', from: 'string[]', to: 'integer[]' },
				{ path: 'b', from: 'string', to: 'string[]' },
				{ path: 'c', from: 'integer', to: 'number' },
			],
		});
	});

	it('lists exactly the changes that turn one schema into the other', () => {
		const typeOf = ({ type, isArray }: { type: string; isArray: boolean }) =>
			isArray ? `${type}[]` : type;
		const types = (some: ReturnType<typeof field>[]) =>
			new Map(some.map((one) => [one.path, typeOf(one)]));
		fc.assert(
			fc.property(fields, fields, (before, now) => {
				const { changed, added, removed, retyped } = compareFields(before, now);
				const result = types([...before, ...added]);
				for (const { path } of removed) expect(result.delete(path)).toBe(true);
				for (const { path, from, to } of retyped) {
					expect(result.get(path)).toBe(from);
					result.set(path, to);
				}
				expect(Object.fromEntries(result)).toEqual(Object.fromEntries(types(now)));
				expect(changed).toBe(added.length > 0 || removed.length > 0 || retyped.length > 0);
			}),
		);
	});
});
