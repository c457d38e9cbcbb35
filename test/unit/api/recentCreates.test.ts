import { RecentCreates } from '../../../nodes/OutreachService/api/recentCreates';

const MINUTE = 60_000;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

it('A webhook that a create returned is remembered for some minutes, and then forgotten', () => {
	const creates = new RecentCreates();
	creates.add('hoo_1');
	jest.advanceTimersByTime(5 * MINUTE);
	expect([creates.has('hoo_1'), creates.has('hoo_2')]).toEqual([true, false]);
	jest.advanceTimersByTime(6 * MINUTE);
	expect(creates.has('hoo_1')).toBe(false);
});

it('However many webhooks are created, only the newest thousands are remembered', () => {
	const creates = new RecentCreates();
	for (let i = 0; i < 10_000; i++) creates.add(`hoo_many_${i}`);
	const remembered = Array.from({ length: 10_000 }, (_, i) => creates.has(`hoo_many_${i}`));
	expect(remembered.filter(Boolean)).toHaveLength(6_000);
	expect(remembered.at(-1)).toBe(true);
});
