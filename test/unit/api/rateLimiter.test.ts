/** The rate limiter never exceeds the limit of the service, and is fair. On jest's clock, with a simulated network. */
import fc from 'fast-check';

import { ITEM, RECURRING, USER } from '../../../nodes/OutreachService/api/policy';
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

/** Lets so much time pass, for a request that the test describes. */
const wait = async (ms: number) => await new Promise<void>((done) => setTimeout(done, ms));

/** Runs tasks to their end, however long they take. */
async function finished<T>(tasks: ReadonlyArray<Promise<T>>): Promise<T[]> {
	const all = Promise.all(tasks);
	await jest.runAllTimersAsync();
	return await all;
}

/** One request, in milliseconds: when it asks for a slot, how long it takes to arrive, how long the response takes. */
type Trip = { asksAt: number; arrivesAfter: number; returnsAfter: number };

/** When each request arrives at the service. */
async function arrivalsOf(trips: readonly Trip[]): Promise<number[]> {
	const limiter = new RateLimiter();
	const arrivals = trips.map(async ({ asksAt, arrivesAfter, returnsAfter }) => {
		await wait(asksAt);
		const release = await acquire(limiter, { policy: USER });
		await wait(arrivesAfter);
		const arrivedAt = performance.now();
		await wait(returnsAfter);
		release();
		return arrivedAt;
	});
	return (await finished(arrivals)).sort((a, b) => a - b);
}

/** Requests that start at once, each of which takes a slot for as long as the service counts it. @returns when each started */
function ask(limiter: RateLimiter, count: number, wanted: Partial<Wait> = {}) {
	const startedAt: number[] = [];
	const all = Array.from({ length: count }, async () => {
		(await acquire(limiter, wanted))();
		startedAt.push(performance.now());
	});
	return { startedAt, all };
}

/** How many requests start in the next milliseconds. */
async function startedIn(ms: number, { startedAt }: { startedAt: number[] }): Promise<number> {
	const before = startedAt.length;
	await jest.advanceTimersByTimeAsync(ms);
	return startedAt.length - before;
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
	it('remembers only the latest of 2,000 requests', async () => {
		const limiter = new RateLimiter();
		await finished(ask(limiter, 2_000).all);
		expect(JSON.stringify(limiter).length).toBeLessThan(5_000);
	});

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
				const waits = times.map(async (at) => {
					await wait(at);
					const askedAt = performance.now();
					await acquire(limiter, { policy: USER });
					return performance.now() - askedAt;
				});
				expect(await finished(waits)).toEqual(times.map(() => 0));
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
		const askAs = async (id: number, signal?: AbortSignal) => {
			(await acquire(limiter, { signal }))();
			order.push(id);
		};
		const first = Array.from({ length: 19 }, async (_, id) => {
			await askAs(id);
		});
		const cancelled = expect(askAs(100, stop.signal)).rejects.toThrow('was cancelled');
		const last = [askAs(101), askAs(102)];
		stop.abort();
		await cancelled;
		await finished([...first, ...last]);
		expect(order).toEqual([...Array.from({ length: 19 }, (_, id) => id), 101, 102]);
	});

	it('gives no slot to a request that has given up', async () => {
		const limiter = new RateLimiter();
		const first = ask(limiter, 20, { policy: USER });
		const stop = new AbortController();
		const given = { policy: USER, signal: stop.signal };
		const cancelled = expect(acquire(limiter, given)).rejects.toThrow('was cancelled');
		stop.abort();
		await Promise.all([...first.all, cancelled]);
		expect(await startedIn(WINDOW_MS, ask(limiter, 20, { policy: USER }))).toBe(20);
	});

	it('gives no slot to a request whose time is up', async () => {
		const limiter = new RateLimiter();
		await expect(acquire(limiter, { longestMs: 0 })).rejects.toThrow('accepts no further request');
		expect(await startedIn(0, ask(limiter, 20))).toBe(20);
	});

	it('starts what a user waits for within a window, however many items wait', async () => {
		await fc.assert(
			fc.asyncProperty(upTo(60_000), async (askedAt) => {
				const limiter = new RateLimiter();
				const items = ask(limiter, 600);
				await jest.advanceTimersByTimeAsync(askedAt);
				const user = ask(limiter, 1, { policy: USER });
				expect(await startedIn(WINDOW_MS, user)).toBe(1);
				await finished([...items.all, ...user.all]);
			}),
			{ numRuns: tries(5) },
		);
	});

	it('starts recurring requests before items: a check does not wait for a bulk run', async () => {
		const limiter = new RateLimiter();
		const items = ask(limiter, 60);
		const recurring = ask(limiter, 5, { policy: RECURRING });
		await jest.advanceTimersByTimeAsync(WINDOW_MS + 100);
		expect([items.startedAt.length, recurring.startedAt.length]).toEqual([35, 5]);
		await finished([...items.all, ...recurring.all]);
	});

	it('gives a request that is sent again the place that it had', async () => {
		const limiter = new RateLimiter();
		const madeAt = performance.now();
		await jest.advanceTimersByTimeAsync(1);
		const items = ask(limiter, 60);
		await jest.advanceTimersByTimeAsync(1_000);
		const again = ask(limiter, 1, { madeAt });
		expect(await startedIn(1_100, again)).toBe(1);
		expect(items.startedAt.length).toBeLessThan(40);
		await finished(items.all);
	});

	it('takes its share back one slot a window after a refusal', async () => {
		const limiter = new RateLimiter();
		const items = ask(limiter, 900);
		expect(await startedIn(20_000, items)).toBeGreaterThanOrEqual(190);
		limiter.refuse(0);
		await startedIn(2_100, items);
		expect(await startedIn(2_000, items)).toBeLessThanOrEqual(12);
		await startedIn(24_000, items);
		expect(await startedIn(20_000, items)).toBeGreaterThanOrEqual(190);
		await finished(items.all);
	});

	it.each([
		[20, []],
		[10, [100]],
		[10, [100, 400, 500]],
	])(
		'starts %i items in the window after refusals at %j: all of a window count once',
		async (count, refusedAt) => {
			const limiter = new RateLimiter();
			const items = ask(limiter, 100);
			for (const time of refusedAt) {
				await jest.advanceTimersByTimeAsync(time - performance.now());
				limiter.refuse(0);
			}
			await jest.advanceTimersByTimeAsync(WINDOW_MS - 1 - performance.now());
			expect(await startedIn(10, items)).toBe(count);
			await finished(items.all);
		},
	);

	const quickTrips = fc.array(fc.record({ arrivesAfter: upTo(80), returnsAfter: upTo(20) }), {
		minLength: 1,
		maxLength: 30,
	});

	/** Deletes webhooks, five at a time, at a service that counts a sliding window and says so. */
	const deletions = async (
		count: number,
		network: ReadonlyArray<Pick<Trip, 'arrivesAfter' | 'returnsAfter'>>,
		limiter = new RateLimiter(),
	) => {
		const counted: number[] = [];
		const from = performance.now();
		let sent = 0;
		const deleteNext = async (): Promise<void> => {
			while (sent < count) {
				const { arrivesAfter, returnsAfter } = network[sent++ % network.length]!;
				const release = await acquire(limiter);
				const startedAt = performance.now();
				await wait(arrivesAfter);
				const now = performance.now();
				counted.push(now - from);
				const inWindow = counted.filter((one) => now - from - one < WINDOW_MS).length;
				await wait(returnsAfter);
				limiter.compare(inWindow, startedAt);
				release();
			}
		};
		await finished(Array.from({ length: 5 }, deleteNext));
		return counted;
	};

	it('uses the limit if nobody else does: 120 deletions take at most 1.1 of the shortest time', async () => {
		await fc.assert(
			fc.asyncProperty(quickTrips, async (network) => {
				const counted = await deletions(120, network);
				expect(mostInWindow(counted)).toBeLessThanOrEqual(20);
				expect(counted.at(-1)).toBeLessThanOrEqual(1.1 * 10_000);
			}),
			{ numRuns: tries(10) },
		);
	});

	it('leaves a slot free for a person in another process from the seventh window on', async () => {
		await fc.assert(
			fc.asyncProperty(quickTrips, async (network) => {
				const later = (await deletions(400, network)).filter((at) => at > 12_000);
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
		const counted = await deletions(400, [{ arrivesAfter: 20, returnsAfter: 5 }], limiter);
		expect(mostInWindow(counted.filter((at) => at < 30_000))).toBe(15);
		expect(mostInWindow(counted.filter((at) => at > 32_000))).toBe(19);
	});

	it('compares nothing if a response was so slow that the requests beside it are forgotten', async () => {
		const limiter = new RateLimiter();
		limiter.compare(20, performance.now() - 3_000);
		expect(await startedIn(0, ask(limiter, 20))).toBe(20);
	});
});
