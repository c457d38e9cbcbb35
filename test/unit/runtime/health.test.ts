import fc from 'fast-check';

import {
	afterCheck,
	initialHealth,
	type Checked,
	type Report,
} from '../../../nodes/OutreachService/runtime/health';

const failure = new Error('The service could not carry out the request');

const checks = fc.array(
	fc.record({
		failure: fc.constantFrom(undefined, failure),
		restored: fc.subarray(['emailsReplied', 'smsReplied', 'networkReplied']),
	}),
	{ minLength: 1, maxLength: 30 },
);

/** The report of each check; they take place at 1, 2, 3 … after the node went live at 0. */
function reportsOf(start: Checked, history: readonly Checked[]): Array<Report | undefined> {
	let health = initialHealth(start, 0);
	return history.map((checked, index) => {
		const after = afterCheck(health, checked, index + 1);
		health = after.health;
		return after.report;
	});
}

/** The checks of a history and the registration before it, from a moment to the next one that succeeds. */
const failing = ({ failure: reason }: Checked): boolean => reason !== undefined;

describe('The user', () => {
	it('is told of failing checks exactly once in a row of two or more, at the second, and never of a single one', () => {
		fc.assert(
			fc.property(checks, checks, ([start], history) => {
				const reports = reportsOf(start!, history);
				const all = [start!, ...history];
				const isSecond = (index: number) =>
					failing(all[index + 1]!) &&
					failing(all[index]!) &&
					(index === 0 || !failing(all[index - 1]!));
				expect(reports.map((report) => report?.kind === 'failing')).toEqual(
					history.map((_checked, index) => isSecond(index)),
				);
			}),
		);
	});

	it('is told that the webhooks work again exactly after a check that failed', () => {
		const failingOrNot = fc.record({
			failure: fc.constantFrom(undefined, failure),
			restored: fc.constant([]),
		});
		fc.assert(
			fc.property(fc.array(failingOrNot, { minLength: 1 }), (history) => {
				const reports = reportsOf({ restored: [] }, history);
				expect(reports.map((report) => report?.kind === 'working')).toEqual(
					history.map((one, n) => !failing(one) && n > 0 && failing(history[n - 1]!)),
				);
			}),
		);
	});

	it('is told of every event whose webhook was created again, once, when all webhooks are complete', () => {
		fc.assert(
			fc.property(checks, checks, ([start], history) => {
				const reports = reportsOf(start!, history);
				const open = new Set(start!.restored);
				for (const [index, { failure: reason, restored }] of history.entries()) {
					for (const event of restored) open.add(event);
					const report = reports[index];
					const events = report?.kind === 'restored' ? [...report.events] : [];
					expect(events.sort()).toEqual(reason ? [] : [...open].sort());
					if (!reason) open.clear();
				}
			}),
		);
	});

	it('is told the time of the last check that succeeded, and of the first that failed after it', () => {
		fc.assert(
			fc.property(checks, (history) => {
				const reports = reportsOf({ restored: [] }, history);
				let goodAt = 0;
				for (const [index, checked] of history.entries()) {
					const report = reports[index];
					if (report && report.kind !== 'working') expect(report.goodAt).toBe(goodAt);
					if (report && report.kind !== 'restored') expect(report.since).toBe(goodAt + 1);
					if (!failing(checked)) goodAt = index + 1;
				}
			}),
		);
	});
});

it('A node has been well since it went live, unless it was incomplete or something had to be created again', () => {
	const goodAt = (checked: Checked) => initialHealth(checked, 5).goodAt;
	expect(goodAt({ restored: [] })).toBe(5);
	expect(goodAt({ restored: ['warmed'] })).toBeUndefined();
	expect(goodAt({ restored: [], failure })).toBeUndefined();
	expect(goodAt({ restored: ['warmed'], failure })).toBeUndefined();
});

it('A check that finds everything well reports nothing if everything was well before', () => {
	const { health, report } = afterCheck(initialHealth({ restored: [] }, 0), { restored: [] }, 1);
	expect(report).toBeUndefined();
	expect(health).toMatchObject({ goodAt: 1, failures: 0 });
});
