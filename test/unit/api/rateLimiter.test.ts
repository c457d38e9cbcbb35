import fc from 'fast-check';

import { RateLimiter } from '../../../nodes/OutreachService/api/rateLimiter';

/** §8.1. */
const WINDOW_MS = 2_000;

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
	jest.useRealTimers();
});

/** Longer than any test waits for a slot. */
const LONG_MS = 600_000;

/** One request, in milliseconds: when it asks for a slot, how long it takes to arrive, how long the response takes. */
type Trip = { asksAt: number; arrivesAfter: number; returnsAfter: number };

/** When each request arrives at the service. */
async function arrivalsOf(trips: readonly Trip[]): Promise<number[]> {
	const limiter = new RateLimiter();
	const arrivals: number[] = [];
	const wait = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));
	const all = Promise.all(
		trips.map(async ({ asksAt, arrivesAfter, returnsAfter }) => {
			await wait(asksAt);
			const done = await limiter.acquire(LONG_MS);
			await wait(arrivesAfter);
			arrivals.push(performance.now());
			await wait(returnsAfter);
			done();
		}),
	);
	await jest.runAllTimersAsync();
	await all;
	return arrivals.sort((a, b) => a - b);
}

/** A window excludes its end, so the 21st request may arrive exactly one window after the first. */
const mostInWindow = (times: readonly number[]): number =>
	Math.max(
		0,
		...times.map((from) => times.filter((at) => at >= from && at - from < WINDOW_MS).length),
	);

const upTo = (max: number) => fc.integer({ min: 0, max });
const trip = (asksAt: fc.Arbitrary<number>) =>
	fc.record({ asksAt, arrivesAfter: upTo(250), returnsAfter: upTo(250) });

describe('The rate limiter', () => {
	it('lets no more than 20 requests arrive in any 2 s, however uneven the network is', async () => {
		const many = fc.array(trip(fc.oneof(upTo(10), upTo(6000))), { minLength: 45, maxLength: 90 });
		await fc.assert(
			fc.asyncProperty(many, async (trips) => {
				const arrivals = await arrivalsOf(trips);
				expect(arrivals).toHaveLength(trips.length);
				expect(mostInWindow(arrivals)).toBeLessThanOrEqual(20);
			}),
			{ numRuns: 60 },
		);
	});

	it('lets a request start at once while a slot is free', async () => {
		const few = fc.array(upTo(5000), { minLength: 1, maxLength: 20 });
		await fc.assert(
			fc.asyncProperty(few, async (times) => {
				const limiter = new RateLimiter();
				const waits = Promise.all(
					times.map(async (at) => {
						await new Promise<void>((done) => setTimeout(done, at));
						const asked = performance.now();
						await limiter.acquire(LONG_MS);
						return performance.now() - asked;
					}),
				);
				await jest.runAllTimersAsync();
				expect(await waits).toEqual(times.map(() => 0));
			}),
			{ numRuns: 30 },
		);
	});

	it('frees the slot of a slow request after four seconds at the latest, whenever its response arrives', async () => {
		const slow = { asksAt: 0, arrivesAfter: 0, returnsAfter: 3000 };
		const quick = { asksAt: 1, arrivesAfter: 0, returnsAfter: 0 };
		const arrivals = await arrivalsOf([...Array.from({ length: 20 }, () => slow), quick]);
		expect(arrivals.at(-1)).toBeGreaterThanOrEqual(4000);
		expect(arrivals.at(-1)).toBeLessThanOrEqual(4010);
	});

	it('serves requests in order, and removes cancelled ones from the queue', async () => {
		const limiter = new RateLimiter();
		const order: number[] = [];
		const stop = new AbortController();
		const ask = async (id: number, signal?: AbortSignal) => {
			(await limiter.acquire(LONG_MS, signal))();
			order.push(id);
		};
		const first = Array.from({ length: 20 }, async (_, id) => {
			await ask(id);
		});
		const cancelled = expect(ask(100, stop.signal)).rejects.toThrow('was stopped');
		const last = [ask(101), ask(102)];
		stop.abort();
		await cancelled;
		await jest.advanceTimersByTimeAsync(WINDOW_MS + 10);
		await Promise.all([...first, ...last]);
		expect(order).toEqual([...Array.from({ length: 20 }, (_, id) => id), 101, 102]);
	});
});
