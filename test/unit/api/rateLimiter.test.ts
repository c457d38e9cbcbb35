import fc from 'fast-check';

import { WINDOW_MS } from '../../../nodes/OutreachService/api/limits';
import { RateLimiter, RateLimiters } from '../../../nodes/OutreachService/api/rateLimiter';

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
	jest.useRealTimers();
});

/** One request: when it asks for a slot, when it reaches the service, when its response is there; in milliseconds. */
type Trip = { asks: number; travels: number; returns: number };

/** What the service sees: when each request arrives. */
async function arrivalsOf(trips: readonly Trip[]): Promise<number[]> {
	const limiter = new RateLimiter();
	const arrivals: number[] = [];
	const wait = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));
	const all = Promise.all(
		trips.map(async ({ asks, travels, returns }) => {
			await wait(asks);
			const done = await limiter.acquire();
			await wait(travels);
			arrivals.push(performance.now());
			await wait(returns);
			done();
		}),
	);
	await jest.runAllTimersAsync();
	await all;
	return arrivals.sort((a, b) => a - b);
}

/** The service's windows are half-open, so the 21st may arrive exactly a window after the first. */
const mostInWindow = (times: readonly number[]): number =>
	Math.max(
		0,
		...times.map((from) => times.filter((at) => at >= from && at - from < WINDOW_MS).length),
	);

const upTo = (max: number) => fc.integer({ min: 0, max });
const trip = (asks: fc.Arbitrary<number>) =>
	fc.record({ asks, travels: upTo(250), returns: upTo(250) });

describe('The limiter', () => {
	it('lets no more than 20 requests arrive in any 2 s, however uneven the network is', async () => {
		const crowd = fc.array(trip(fc.oneof(upTo(10), upTo(6000))), { minLength: 45, maxLength: 90 });
		await fc.assert(
			fc.asyncProperty(crowd, async (trips) => {
				const arrivals = await arrivalsOf(trips);
				expect(arrivals).toHaveLength(trips.length);
				expect(mostInWindow(arrivals)).toBeLessThanOrEqual(20);
			}),
			{ numRuns: 60 },
		);
	});

	it('never holds back a request when there is room', async () => {
		const few = fc.array(trip(upTo(5000)), { minLength: 1, maxLength: 20 });
		await fc.assert(
			fc.asyncProperty(few, async (trips) => {
				const arrivals = await arrivalsOf(trips);
				const from = performance.now();
				expect(arrivals.at(-1)).toBeLessThanOrEqual(from);
				expect(Math.max(...trips.map(({ asks }) => asks)) + 500).toBeGreaterThanOrEqual(
					arrivals.at(-1)! - arrivals[0]!,
				);
			}),
			{ numRuns: 30 },
		);
	});

	it('is at full pace: 200 at once take nine windows, plus the trips', async () => {
		const trips = Array.from({ length: 200 }, () => ({ asks: 0, travels: 5, returns: 5 }));
		const arrivals = await arrivalsOf(trips);
		expect(arrivals.at(-1)).toBeLessThanOrEqual(9 * (WINDOW_MS + 12) + 5);
	});

	it('is not slowed down by a request that hangs', async () => {
		const hanging = { asks: 0, travels: 0, returns: 60_000 };
		const quick = { asks: 1, travels: 0, returns: 0 };
		const arrivals = await arrivalsOf([hanging, ...Array.from({ length: 20 }, () => quick)]);
		expect(arrivals.at(-1)).toBeLessThanOrEqual(2600);
	});

	it('holds the slot of a slow request no longer than four seconds, whenever its response arrives', async () => {
		const slow = { asks: 0, travels: 0, returns: 3000 };
		const quick = { asks: 1, travels: 0, returns: 0 };
		const arrivals = await arrivalsOf([...Array.from({ length: 20 }, () => slow), quick]);
		expect(arrivals.at(-1)).toBeGreaterThanOrEqual(4000);
		expect(arrivals.at(-1)).toBeLessThanOrEqual(4010);
	});

	it('is idle when nobody waits, every slot is free and nothing holds it back', async () => {
		const limiter = new RateLimiter();
		expect(limiter.idle).toBe(true);
		const done = await limiter.acquire();
		done();
		await jest.advanceTimersByTimeAsync(WINDOW_MS - 10);
		expect(limiter.idle).toBe(false);
		await jest.advanceTimersByTimeAsync(20);
		expect(limiter.idle).toBe(true);
		limiter.holdBack(100);
		expect(limiter.idle).toBe(false);
		const waiting = limiter.acquire();
		await jest.advanceTimersByTimeAsync(110);
		await waiting;
		expect(limiter.idle).toBe(false);
	});

	it('serves in the order of the requests, and drops those that are cancelled', async () => {
		const limiter = new RateLimiter();
		const order: number[] = [];
		const stop = new AbortController();
		const ask = async (id: number, signal?: AbortSignal) => {
			(await limiter.acquire(signal))();
			order.push(id);
		};
		const first = Array.from({ length: 20 }, async (_, id) => {
			await ask(id);
		});
		const gone = expect(ask(100, stop.signal)).rejects.toThrow('cancelled');
		const last = [ask(101), ask(102)];
		stop.abort();
		await gone;
		await jest.advanceTimersByTimeAsync(WINDOW_MS + 10);
		await Promise.all([...first, ...last]);
		expect(order).toEqual([...Array.from({ length: 20 }, (_, id) => id), 101, 102]);
	});

	it('holds no slot for requests that were cancelled', async () => {
		const limiter = new RateLimiter();
		const stops = Array.from({ length: 20 }, () => new AbortController());
		for (let i = 0; i < 20; i++) (await limiter.acquire())();
		const gone = stops.map(async ({ signal }) => await limiter.acquire(signal));
		const last = limiter.acquire().then(() => performance.now());
		const from = performance.now();
		for (const stop of stops) stop.abort();
		expect((await Promise.allSettled(gone)).map(({ status }) => status)).toEqual(
			Array(20).fill('rejected'),
		);
		await jest.advanceTimersByTimeAsync(2 * WINDOW_MS + 100);
		expect((await last) - from).toBeLessThanOrEqual(WINDOW_MS + 10);
	});

	it('lets nobody through while it is held back, the longest time counting', async () => {
		const limiter = new RateLimiter();
		limiter.holdBack(5000);
		limiter.holdBack(100);
		let at: number | undefined;
		const asked = limiter.acquire().then(() => (at = performance.now()));
		const from = performance.now();
		await jest.advanceTimersByTimeAsync(4990);
		expect(at).toBeUndefined();
		await jest.advanceTimersByTimeAsync(20);
		await asked;
		expect(at! - from).toBeGreaterThanOrEqual(5000);
	});
});

describe('The limiters of a process', () => {
	const credential = { baseUrl: 'https://x.test/api', apiKey: 'a' };

	it('are one for each key at each host', () => {
		const limiters = new RateLimiters();
		const first = limiters.for(credential);
		expect(limiters.for({ ...credential })).toBe(first);
		expect(limiters.for({ ...credential, apiKey: 'b' })).not.toBe(first);
		expect(limiters.for({ ...credential, baseUrl: 'https://y.test/api' })).not.toBe(first);
		expect(limiters.for(credential)).toBe(first);
		expect(limiters.size).toBe(3);
	});

	it('are dropped when they are idle and there are very many', () => {
		const limiters = new RateLimiters();
		const first = limiters.for(credential);
		for (let i = 0; i < 600; i++) limiters.for({ ...credential, apiKey: String(i) });
		expect(limiters.for(credential)).not.toBe(first);
	});

	it('are kept while somebody needs them, however many there are', async () => {
		const limiters = new RateLimiters();
		const busy = limiters.for(credential);
		await busy.acquire();
		for (let i = 0; i < 600; i++) limiters.for({ ...credential, apiKey: `other ${i}` });
		expect(limiters.for(credential)).toBe(busy);
	});
});
