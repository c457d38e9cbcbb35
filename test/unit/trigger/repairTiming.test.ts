/** When a node's check is due, however late or wrong the clock is. */
import fc from 'fast-check';

import { NEW_NODE } from '../../../nodes/OutreachService/runtime/triggerNodes';
import { secondOf } from '../../../nodes/OutreachService/trigger/registration/checks';
import { isDue } from '../../../nodes/OutreachService/trigger/registration/health';
import { read } from './selections';

const MINUTE_MS = 60_000;
/** Nothing is left to do since a time, which two clocks have told. */
const idleSince = (date: number, clock: number) => ({
	...NEW_NODE.health,
	idleSince: { date, clock },
});

const usable = (repairMinutes: number) =>
	({ ok: true, value: read(['emailsReplied'], { repairMinutes }) }) as const;

/** Whether a check is due, when both clocks have gone on like this since the last one. */
const isDueAfter = (repairMinutes: number, passed: { date: number; clock: number }): boolean => {
	const date = 24 * 60 * MINUTE_MS;
	const clock = 60 * MINUTE_MS;
	const node = { selection: usable(repairMinutes), health: idleSince(date, clock) };
	return isDue(node, { date: date + passed.date, clock: clock + passed.clock });
};

describe('The periodic check of a node', () => {
	it('is due in every interval, however late in its minute the cron job runs', () => {
		const late = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 300, maxLength: 300 });
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 60 }), late, (repairMinutes, lateMs) => {
				const selection = usable(repairMinutes);
				let lastMs = 0;
				for (const [minute, ms] of lateMs.entries()) {
					const now = minute * MINUTE_MS + ms;
					const health = idleSince(lastMs, lastMs);
					if (!isDue({ selection, health }, { date: now, clock: now })) continue;
					expect(now - lastMs).toBeLessThanOrEqual((repairMinutes + 1) * MINUTE_MS);
					expect(now - lastMs).toBeGreaterThanOrEqual((repairMinutes - 1) * MINUTE_MS);
					lastMs = now;
				}
				expect(lastMs).toBeGreaterThan((lateMs.length - repairMinutes - 1) * MINUTE_MS);
			}),
		);
	});

	it.each([1, 10, 14, 60, 24 * 60])(
		'is due in its interval, and not before, after the date was set back by %d minutes',
		(setBackMinutes) => {
			const after = (minutes: number): boolean =>
				isDueAfter(15, {
					date: (minutes - setBackMinutes) * MINUTE_MS,
					clock: minutes * MINUTE_MS,
				});
			expect([after(1), after(13), after(14), after(15)]).toEqual([false, false, true, true]);
		},
	);

	it('is due when the machine wakes up after its interval: the clock of the process may have stood still', () => {
		expect(isDueAfter(15, { date: 8 * 60 * MINUTE_MS, clock: 1_000 })).toBe(true);
	});

	it('is never due with an interval of 0', () => {
		const passed = Number.MAX_SAFE_INTEGER / 2;
		expect(isDueAfter(0, { date: passed, clock: passed })).toBe(false);
	});

	it('is spread over the seconds of a minute across many nodes', () => {
		const counts = Array.from({ length: 60 }, () => 0);
		for (let node = 0; node < 6_000; node++) counts[secondOf(`wf/${node}`)]! += 1;
		expect(Math.min(...counts)).toBeGreaterThan(50);
	});
});
