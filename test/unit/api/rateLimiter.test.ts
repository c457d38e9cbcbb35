/** The rate limiter never exceeds the limit of the service, and is fair. On jest's clock, with a simulated network. */
import fc from 'fast-check';

import { ITEM, RECURRING, USER, type Policy } from '../../../nodes/OutreachService/api/policy';
import {
	RateLimiter,
	type Release,
	type Wait,
} from '../../../nodes/OutreachService/api/rateLimiter';
import { tries } from '../../propertyRuns';

/** §8.1. */
const WINDOW_MS = 2_000;

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
	jest.useRealTimers();
});

/** Waits for a slot as a request of an item does that was just made, unless `wait` says otherwise. */
const acquire = async (limiter: RateLimiter, wait: Partial<Wait> = {}): Promise<Release> =>
	await limiter.acquire({
		policy: ITEM,
		madeAt: performance.now(),
		longestMs: Infinity,
		signal: undefined,
		...wait,
	});

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
			const release = await acquire(limiter, { policy: USER });
			await wait(arrivesAfter);
			arrivals.push(performance.now());
			await wait(returnsAfter);
			release();
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
			{ numRuns: tries(15) },
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
						await acquire(limiter, { policy: USER });
						return performance.now() - asked;
					}),
				);
				await jest.runAllTimersAsync();
				expect(await waits).toEqual(times.map(() => 0));
			}),
			{ numRuns: tries(8) },
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
			(await acquire(limiter, { signal }))();
			order.push(id);
		};
		const first = Array.from({ length: 19 }, async (_, id) => {
			await ask(id);
		});
		const cancelled = expect(ask(100, stop.signal)).rejects.toThrow('was cancelled');
		const last = [ask(101), ask(102)];
		stop.abort();
		await cancelled;
		await jest.advanceTimersByTimeAsync(WINDOW_MS + 10);
		await Promise.all([...first, ...last]);
		expect(order).toEqual([...Array.from({ length: 19 }, (_, id) => id), 101, 102]);
	});

	it('gives no slot to a request whose time is up', async () => {
		const limiter = new RateLimiter();
		await expect(acquire(limiter, { longestMs: 0 })).rejects.toThrow('accepts no further request');
		const all = Promise.all(Array.from({ length: 20 }, () => acquire(limiter, { policy: USER })));
		await jest.advanceTimersByTimeAsync(0);
		expect(await all).toHaveLength(20);
	});

	/** Many items that wait, each of which takes a slot for as long as the service counts it. */
	const manyItems = (limiter: RateLimiter, count: number, started: Array<[Policy, number]>) =>
		Array.from({ length: count }, async () => {
			await ask(limiter, ITEM, started);
		});
	const ask = async (limiter: RateLimiter, policy: Policy, started: Array<[Policy, number]>) => {
		(await acquire(limiter, { policy }))();
		started.push([policy, performance.now()]);
	};
	const at = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));

	it('starts what a user waits for within a window, however many items wait', async () => {
		await fc.assert(
			fc.asyncProperty(upTo(60_000), async (askedAt) => {
				const limiter = new RateLimiter();
				const started: Array<[Policy, number]> = [];
				const items = manyItems(limiter, 600, started);
				await jest.advanceTimersByTimeAsync(askedAt);
				const asked = performance.now();
				const user = ask(limiter, USER, started);
				await jest.advanceTimersByTimeAsync(WINDOW_MS);
				const [, startedAt = Infinity] = started.find(([policy]) => policy === USER) ?? [];
				expect(startedAt - asked).toBeLessThanOrEqual(WINDOW_MS);
				await jest.runAllTimersAsync();
				await Promise.all([...items, user]);
			}),
			{ numRuns: tries(5) },
		);
	});

	it('starts recurring requests before items: a check does not wait for a bulk run', async () => {
		const limiter = new RateLimiter();
		const started: Array<[Policy, number]> = [];
		const items = manyItems(limiter, 60, started);
		const recurring = Array.from({ length: 5 }, async () => await ask(limiter, RECURRING, started));
		await jest.runAllTimersAsync();
		await Promise.all([...items, ...recurring]);
		const places = started.flatMap(([policy], place) => (policy === RECURRING ? [place] : []));
		expect(places).toEqual([20, 21, 22, 23, 24]);
	});

	it('gives a request that is sent again the place that it had', async () => {
		const limiter = new RateLimiter();
		const started: Array<[Policy, number]> = [];
		const madeAt = performance.now();
		await jest.advanceTimersByTimeAsync(1);
		const items = manyItems(limiter, 60, started);
		await jest.advanceTimersByTimeAsync(1_000);
		const again = acquire(limiter, { madeAt });
		await jest.advanceTimersByTimeAsync(1_100);
		await again;
		expect(started.length).toBeLessThan(40);
		await jest.runAllTimersAsync();
		await Promise.all(items);
	});

	it('takes its share back one slot a window after a refusal', async () => {
		const limiter = new RateLimiter();
		const started: Array<[Policy, number]> = [];
		const items = manyItems(limiter, 900, started);
		const startedIn = async (ms: number) => {
			const before = started.length;
			await jest.advanceTimersByTimeAsync(ms);
			return started.length - before;
		};
		expect(await startedIn(20_000)).toBeGreaterThanOrEqual(190);
		limiter.refuse(0);
		await startedIn(2_100);
		expect(await startedIn(2_000)).toBeLessThanOrEqual(12);
		await startedIn(24_000);
		expect(await startedIn(20_000)).toBeGreaterThanOrEqual(190);
		await jest.runAllTimersAsync();
		await Promise.all(items);
	});

	it('halves its share after a refusal, and once for all refusals of a window', async () => {
		/** How many items start in the second window if the limit refuses requests at these times of the first one. */
		const startedAfter = async (...refusedAt: number[]) => {
			const limiter = new RateLimiter();
			const started: Array<[Policy, number]> = [];
			const items = manyItems(limiter, 100, started);
			const from = performance.now();
			for (const time of refusedAt) {
				await jest.advanceTimersByTimeAsync(from + time - performance.now());
				limiter.refuse(0);
			}
			await jest.advanceTimersByTimeAsync(from + WINDOW_MS - 1 - performance.now());
			const before = started.length;
			await jest.advanceTimersByTimeAsync(10);
			const count = started.length - before;
			await jest.runAllTimersAsync();
			await Promise.all(items);
			return count;
		};
		expect(await startedAfter()).toBe(20);
		expect(await startedAfter(100)).toBe(10);
		expect(await startedAfter(100, 400, 500)).toBe(10);
	});

	const quickTrips = fc.array(fc.record({ arrivesAfter: upTo(80), returnsAfter: upTo(20) }), {
		minLength: 1,
		maxLength: 30,
	});

	/** Deletes webhooks, five at a time, at a service that counts a sliding window and says so. */
	const deletions = async (
		count: number,
		network: () => Pick<Trip, 'arrivesAfter' | 'returnsAfter'>,
		limiter = new RateLimiter(),
	) => {
		const counted: number[] = [];
		const from = performance.now();
		let left = count;
		const deleteNext = async (): Promise<void> => {
			while (left > 0) {
				left -= 1;
				const { arrivesAfter, returnsAfter } = network();
				const release = await acquire(limiter);
				const startedAt = performance.now();
				await at(arrivesAfter);
				const now = performance.now();
				counted.push(now);
				const inWindow = counted.filter((one) => now - one < WINDOW_MS).length;
				await at(returnsAfter);
				limiter.compare(inWindow, startedAt);
				release();
			}
		};
		const all = Promise.all(Array.from({ length: 5 }, deleteNext));
		await jest.runAllTimersAsync();
		await all;
		return { counted, most: mostInWindow(counted), ms: performance.now() - from };
	};

	it('uses the limit if nobody else does: 120 deletions take at most 1.1 of the shortest time', async () => {
		await fc.assert(
			fc.asyncProperty(quickTrips, async (network) => {
				let next = 0;
				const { most, ms } = await deletions(120, () => network[next++ % network.length]!);
				expect(most).toBeLessThanOrEqual(20);
				expect(ms).toBeLessThanOrEqual(1.1 * 10_000);
			}),
			{ numRuns: tries(10) },
		);
	});

	it('leaves a slot free for a person in another process from the seventh window on', async () => {
		await fc.assert(
			fc.asyncProperty(quickTrips, async (network) => {
				let next = 0;
				const from = performance.now();
				const { counted } = await deletions(400, () => network[next++ % network.length]!);
				const later = counted.filter((at) => at - from > 12_000);
				expect(later.length).toBeGreaterThan(200);
				expect(mostInWindow(later)).toBe(19);
			}),
			{ numRuns: tries(5) },
		);
	});

	it('leaves five slots free for half a minute after the service has counted requests of others', async () => {
		const limiter = new RateLimiter();
		const release = await acquire(limiter);
		limiter.compare(2, performance.now());
		release();
		const { counted } = await deletions(
			400,
			() => ({ arrivesAfter: 20, returnsAfter: 5 }),
			limiter,
		);
		expect(mostInWindow(counted.filter((at) => at < 30_000))).toBe(15);
		expect(mostInWindow(counted.filter((at) => at > 32_000))).toBe(19);
	});

	it('compares nothing if a response was so slow that the requests beside it are forgotten', async () => {
		const limiter = new RateLimiter();
		limiter.compare(20, performance.now() - 3_000);
		const all = Promise.all(Array.from({ length: 20 }, () => acquire(limiter)));
		await jest.advanceTimersByTimeAsync(0);
		expect(await all).toHaveLength(20);
	});
});
