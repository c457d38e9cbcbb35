import { RecentCreates } from '../../../nodes/OutreachService/api/recentCreates';

const MINUTE = 60_000;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

it('A created webhook counts as recent for a few minutes', () => {
	const creates = new RecentCreates();
	creates.add('hoo_1');
	jest.advanceTimersByTime(5 * MINUTE);
	expect([creates.has('hoo_1'), creates.has('hoo_2')]).toEqual([true, false]);
	jest.advanceTimersByTime(6 * MINUTE);
	expect(creates.has('hoo_1')).toBe(false);
});

it('Only the newest 6,000 created webhooks count as recent', () => {
	const creates = new RecentCreates();
	for (let i = 0; i < 10_000; i++) creates.add(`hoo_many_${i}`);
	const recent = Array.from({ length: 10_000 }, (_, i) => creates.has(`hoo_many_${i}`));
	expect(recent.filter(Boolean)).toHaveLength(6_000);
	expect(recent.at(-1)).toBe(true);
});
