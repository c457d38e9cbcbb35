import fc from 'fast-check';

import { mapConcurrently } from '../../../nodes/OutreachService/utils/mapConcurrently';
import { settle } from '../../../nodes/OutreachService/utils/settle';

const tasks = fc.array(fc.record({ fails: fc.boolean(), value: fc.string() }), { maxLength: 12 });
const limit = fc.integer({ min: 1, max: 15 });

it('Tasks run at most so many at a time, and their results keep the order of the items', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fc.array(fc.string()),
			limit,
			async (scheduler, items, most) => {
				let underWay = 0;
				let peak = 0;
				const results = await scheduler.waitFor(
					mapConcurrently(
						items,
						async (item, index) => {
							peak = Math.max(peak, (underWay += 1));
							await scheduler.schedule(Promise.resolve());
							underWay -= 1;
							return `${index} ${item}`;
						},
						most,
					),
				);
				expect(results).toEqual(items.map((item, index) => `${index} ${item}`));
				// No more than that, and no fewer: the pace of the service is to be used up.
				expect(peak).toBe(Math.min(most, items.length));
			},
		),
	);
});

it('After a failure what is under way is waited for, and the failure that is first in order is thrown', async () => {
	await fc.assert(
		fc.asyncProperty(fc.scheduler(), tasks, limit, async (scheduler, given, most) => {
			const failures: number[] = [];
			let underWay = 0;
			const run = mapConcurrently(
				given,
				async ({ fails }, index) => {
					underWay += 1;
					await scheduler.schedule(Promise.resolve());
					underWay -= 1;
					if (!fails) return;
					failures.push(index);
					throw new Error(String(index));
				},
				most,
			);
			const result = await scheduler.waitFor(settle(run));
			expect(underWay).toBe(0);
			expect(result.ok).toBe(!given.some(({ fails }) => fails));
			if (!result.ok) expect(result.error.message).toBe(String(Math.min(...failures)));
		}),
	);
});

it('No more tasks begin than were under way at the first failure', async () => {
	await fc.assert(
		fc.asyncProperty(limit, fc.nat(9), async (most, failing) => {
			let begun = 0;
			const result = await settle(
				mapConcurrently(
					Array.from({ length: 10 + most }),
					async (_, index) => {
						begun += 1;
						await Promise.resolve();
						if (index >= failing) throw new Error('failed');
					},
					most,
				),
			);
			expect(result.ok).toBe(false);
			expect(begun).toBeLessThanOrEqual(failing + most);
		}),
	);
});

it('What was thrown is an error afterwards, whatever it was', async () => {
	await fc.assert(
		fc.asyncProperty(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), async (thrown) => {
			const result = await settle(Promise.reject(thrown as unknown as Error));
			expect(result).toEqual({ ok: false, error: new Error(String(thrown)) });
			const error = new TypeError(String(thrown));
			expect(await settle(Promise.reject(error))).toEqual({ ok: false, error });
		}),
	);
});
