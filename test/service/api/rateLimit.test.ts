/** The request counter of the local service, compared with a plain count. */
import fc from 'fast-check';
import { RequestCounter } from '../../../tools/service/rateLimit';

it('the request counter finds the most requests in any half-open window', () => {
	const gaps = fc.array(fc.constantFrom(0, 1, 400, 500, 999, 1000, 2000), { maxLength: 80 });
	fc.assert(
		fc.property(gaps, (list) => {
			const counter = new RequestCounter();
			const times = list.map((_gap, index) =>
				list.slice(0, index + 1).reduce<number>((a, b) => a + b, 0),
			);
			for (const at of times) counter.count(at, 2000);
			const most = times.map((from) => times.filter((at) => at >= from && at < from + 2000).length);
			expect(counter.maxStartsInWindow).toBe(Math.max(0, ...most));
		}),
	);
});
