import fc from 'fast-check';

import { settle } from '../../../nodes/OutreachService/utils/settle';
import { Slots } from '../../../nodes/OutreachService/utils/slots';

it('No more tasks run at a time than there are slots, each runs once and in order, whether earlier ones fail or not', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 5 }),
			fc.array(fc.record({ ticks: fc.integer({ min: 1, max: 5 }), fails: fc.boolean() }), {
				maxLength: 20,
			}),
			async (size, tasks) => {
				const slots = new Slots(size);
				const begun: number[] = [];
				let running = 0;
				let most = 0;
				const outcomes = await Promise.all(
					tasks.map(async ({ ticks, fails }, index) => {
						const task = async () => {
							begun.push(index);
							running += 1;
							most = Math.max(most, running);
							for (let i = 0; i < ticks; i++) await Promise.resolve();
							running -= 1;
							if (fails) throw new Error(String(index));
							return index;
						};
						return await settle(slots.run(task));
					}),
				);
				expect(most).toBe(Math.min(size, tasks.length));
				expect(begun).toEqual(tasks.map((_, index) => index));
				expect(outcomes.map(({ ok }) => !ok)).toEqual(tasks.map(({ fails }) => fails));
			},
		),
	);
});
