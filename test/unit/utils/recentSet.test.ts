/** A set that remembers the latest values, and no more than twice as many. */
import fc from 'fast-check';

import { RecentSet } from '../../../nodes/OutreachService/utils/recentSet';

it('A set of recent values has at least the latest, at most twice as many, and says what is new', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(20)), (atLeast, numbers) => {
			const set = new RecentSet(atLeast);
			const added: string[] = [];
			for (const value of numbers.map(String)) {
				const isNew = !set.has(value);
				expect(set.add(value)).toBe(isNew);
				if (isNew) added.push(value);
				for (const latest of added.slice(-atLeast)) expect(set.has(latest)).toBe(true);
				expect(set.size).toBeLessThanOrEqual(2 * atLeast);
			}
		}),
	);
});
