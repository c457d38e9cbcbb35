/** When a node's check is due, however late or wrong the clock is. */
import fc from 'fast-check';

import { NEW_NODE } from '../../../nodes/OutreachService/runtime/activeNodes';
import { isDue, secondOf } from '../../../nodes/OutreachService/trigger/registration/checks';
import { read } from './selections';

const MINUTE_MS = 60_000;
/** Nothing is left to do. */
const node = { ...NEW_NODE, isUnfinished: false };

const usable = (repairMinutes: number) =>
	({ ok: true, value: read(['emailsReplied'], { repairMinutes }) }) as const;

describe('The periodic check of a node', () => {
	it('is due in every interval, however late in its minute the cron job runs', () => {
		const late = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 300, maxLength: 300 });
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 60 }), late, (repairMinutes, lateMs) => {
				const selection = usable(repairMinutes);
				let goodAt = 0;
				for (const [minute, ms] of lateMs.entries()) {
					const now = minute * MINUTE_MS + ms;
					if (!isDue({ ...node, selection, health: { ...NEW_NODE.health, goodAt } }, now)) continue;
					expect(now - goodAt).toBeLessThanOrEqual((repairMinutes + 1) * MINUTE_MS);
					expect(now - goodAt).toBeGreaterThanOrEqual((repairMinutes - 1) * MINUTE_MS);
					goodAt = now;
				}
				expect(goodAt).toBeGreaterThan((lateMs.length - repairMinutes - 1) * MINUTE_MS);
			}),
		);
	});

	it('is due after the clock was set back', () => {
		const selection = usable(15);
		const health = { ...NEW_NODE.health, goodAt: 24 * 60 * MINUTE_MS };
		expect(isDue({ ...node, selection, health }, MINUTE_MS)).toBe(true);
	});

	it('is never due with an interval of 0', () => {
		const selection = usable(0);
		expect(isDue({ ...node, selection, health: NEW_NODE.health }, Number.MAX_SAFE_INTEGER)).toBe(
			false,
		);
	});

	it('is spread over the seconds of a minute across many nodes', () => {
		const counts = Array.from({ length: 60 }, () => 0);
		for (let node = 0; node < 6_000; node++) counts[secondOf(`wf/${node}`)]! += 1;
		expect(Math.min(...counts)).toBeGreaterThan(50);
	});
});
