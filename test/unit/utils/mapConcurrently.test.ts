import fc from 'fast-check';

import { mapConcurrently } from '../../../nodes/OutreachService/utils/mapConcurrently';
import { settle } from '../../../nodes/OutreachService/utils/settle';

const tasks = fc.array(fc.record({ fails: fc.boolean(), value: fc.string() }), { maxLength: 12 });
const limit = fc.integer({ min: 1, max: 15 });

it('No more tasks than the limit run at a time, and the results keep the order of the items', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fc.array(fc.string()),
			limit,
			async (scheduler, items, max) => {
				let running = 0;
				let peak = 0;
				const results = await scheduler.waitFor(
					mapConcurrently(
						items,
						async (item, index) => {
							peak = Math.max(peak, (running += 1));
							await scheduler.schedule(Promise.resolve());
							running -= 1;
							return `${index} ${item}`;
						},
						max,
					),
				);
				expect(results).toEqual(items.map((item, index) => `${index} ${item}`));
				// No fewer either, so that the rate limit of the service is fully used.
				expect(peak).toBe(Math.min(max, items.length));
			},
		),
	);
});

it('After a failure, running tasks are awaited, and the failure of the first item is thrown', async () => {
	await fc.assert(
		fc.asyncProperty(fc.scheduler(), tasks, limit, async (scheduler, given, max) => {
			const failures: number[] = [];
			let running = 0;
			const run = mapConcurrently(
				given,
				async ({ fails }, index) => {
					running += 1;
					await scheduler.schedule(Promise.resolve());
					running -= 1;
					if (!fails) return;
					failures.push(index);
					throw new Error(String(index));
				},
				max,
			);
			const result = await scheduler.waitFor(settle(run));
			expect(running).toBe(0);
			expect(result.ok).toBe(!given.some(({ fails }) => fails));
			if (!result.ok) expect(result.error.message).toBe(String(Math.min(...failures)));
		}),
	);
});

it('No further task starts after the first failure', async () => {
	await fc.assert(
		fc.asyncProperty(limit, fc.nat(9), async (max, failing) => {
			let started = 0;
			const result = await settle(
				mapConcurrently(
					Array.from({ length: 10 + max }),
					async (_, index) => {
						started += 1;
						await Promise.resolve();
						if (index >= failing) throw new Error('failed');
					},
					max,
				),
			);
			expect(result.ok).toBe(false);
			expect(started).toBeLessThanOrEqual(failing + max);
		}),
	);
});
