import fc from 'fast-check';

import { isDue, spread } from '../../../nodes/OutreachService/trigger/registration/checks';

describe('The periodic check of a node', () => {
	it('is due exactly once in each interval, however late or early in its minute the cron job runs', () => {
		fc.assert(
			fc.property(
				fc.uuid(),
				fc.integer({ min: 1, max: 60 }),
				fc.array(fc.integer({ min: -400, max: 59_000 }), { minLength: 60, maxLength: 60 }),
				(id, every, lateMs) => {
					const ticks = lateMs
						.slice(0, every)
						.map((late, minute) => (minute * 60 + spread(id, 60)) * 1000 + late);
					expect(ticks.filter((now) => isDue(id, every, now))).toHaveLength(1);
				},
			),
		);
	});

	it('is spread over the minutes across many nodes', () => {
		const counts = Array.from({ length: 15 }, () => 0);
		for (let node = 0; node < 1500; node++) counts[spread(`wf/${node}`, 15)]! += 1;
		expect(Math.min(...counts)).toBeGreaterThan(60);
	});
});
