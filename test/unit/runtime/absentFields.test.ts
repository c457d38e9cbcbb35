/** When a field of a condition that no event has is named. */
import fc from 'fast-check';

import { AbsentFields } from '../../../nodes/OutreachService/runtime/absentFields';

it('The fields are named once, with the tenth event, that none of the first ten events had', () => {
	const fields = fc.subarray(['a', 'b', 'c']);
	fc.assert(
		fc.property(fc.array(fields, { maxLength: 30 }), (events) => {
			const absent = new AbsentFields();
			const named = events.map((missing) => {
				absent.add('other node', []);
				return absent.add('node', missing);
			});
			const first = events.slice(0, 10);
			const always = ['a', 'b', 'c'].filter((field) => first.every((one) => one.includes(field)));
			expect(named.flat()).toEqual(first.length === 10 ? always : []);
			if (first.length === 10) expect(named[9]).toEqual(always);
			expect(absent.size).toBeLessThanOrEqual(2);
		}),
	);
});
