/** When a field of a condition that no event has is named, and how little is counted for that. */
import fc from 'fast-check';

import { AbsentFields } from '../../../nodes/OutreachService/runtime/absentFields';

it('A field is named once, with the tenth event, if none of the first ten events had it', () => {
	fc.assert(
		fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (absences) => {
			const fields = new AbsentFields();
			const named = absences.map((isAbsent) => {
				fields.add('other node', 'field', !isAbsent);
				return fields.add('node', 'field', isAbsent);
			});
			const first = absences.slice(0, 10);
			const isAbsent = first.length === 10 && first.every((one) => one);
			expect(named.filter((one) => one).length).toBe(isAbsent ? 1 : 0);
			if (isAbsent) expect(named[9]).toBe(true);
		}),
	);
});

it('The counts do not grow without end', () => {
	const fields = new AbsentFields();
	for (let field = 0; field < 5_000; field += 1) fields.add('node', String(field), true);
	expect(fields.size).toBeLessThanOrEqual(1_000);
});

it('Fields that events lack are named although as many are counted as may be', () => {
	const fields = new AbsentFields();
	for (let field = 0; field < 998; field += 1) fields.add('other node', String(field), false);
	const named = Array.from({ length: 10 }, () =>
		['one', 'two'].map((field) => fields.add('node', field, true)),
	);
	expect(named.at(-1)).toEqual([true, true]);
});

it('A new field takes the place of the oldest one alone', () => {
	const fields = new AbsentFields();
	for (let field = 0; field < 1_000; field += 1) fields.add('node', String(field), false);
	fields.add('node', 'one more', true);
	// An event had it, so it is not named, whatever the next ones lack.
	const named = Array.from({ length: 10 }, () => fields.add('node', '999', true));
	expect([fields.size, named.includes(true)]).toEqual([1_000, false]);
});
