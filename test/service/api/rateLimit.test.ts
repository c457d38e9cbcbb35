import fc from 'fast-check';
import { RateLimiter, RequestCounter, type LimitRules } from '../../../tools/service/rateLimit';

const sliding: LimitRules = { requests: 20, windowMs: 2000, kind: 'sliding' };
const fixed: LimitRules = { ...sliding, kind: 'fixed' };

const allowed = (limiter: RateLimiter, times: readonly number[], rules: LimitRules) =>
	times.map((at) => limiter.take(at, rules).allowed);

/** The most of `times` within any window, straight from the definition, to compare the limiter with. */
const mostInWindow = (times: readonly number[], windowMs: number) =>
	Math.max(
		0,
		...times.map((from) => times.filter((at) => at >= from && at - from < windowMs).length),
	);

const arrivals = fc
	.array(fc.integer({ min: 0, max: 700 }), { maxLength: 120 })
	.map((gaps) => gaps.map((_gap, index) => gaps.slice(0, index + 1).reduce((a, b) => a + b, 0)));

describe('§8.1 the rate limiter, with 20 requests per 2 seconds', () => {
	it('never allows more than 20 requests in any window, and rejects no other requests', () => {
		fc.assert(
			fc.property(arrivals, (times) => {
				const limiter = new RateLimiter();
				const accepted: number[] = [];
				for (const at of times) {
					const inWindow = accepted.filter((earlier) => at - earlier < 2000).length;
					const verdict = limiter.take(at, sliding);
					expect(verdict.allowed).toBe(inWindow < 20);
					if (verdict.allowed) accepted.push(at);
				}
				expect(mostInWindow(accepted, 2000)).toBeLessThanOrEqual(20);
			}),
		);
	});

	it('with fixed windows, starts a window with a request and allows a burst at its end', () => {
		const limiter = new RateLimiter();
		const times = [0, ...Array<number>(19).fill(1999), 1999, ...Array<number>(20).fill(2000), 2000];
		const verdicts = allowed(limiter, times, fixed);
		expect(verdicts.filter(Boolean)).toHaveLength(40);
		expect(verdicts[20]).toBe(false);
		expect(verdicts.at(-1)).toBe(false);
	});
});

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
