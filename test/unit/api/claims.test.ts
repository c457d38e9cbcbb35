import { claim, isClaimed } from '../../../nodes/OutreachService/api/claims';

const MINUTE = 60_000;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

it('A webhook that a create returned is remembered for some minutes, and then forgotten', () => {
	claim('hoo_1');
	jest.advanceTimersByTime(5 * MINUTE);
	expect([isClaimed('hoo_1'), isClaimed('hoo_2')]).toEqual([true, false]);
	jest.advanceTimersByTime(6 * MINUTE);
	expect(isClaimed('hoo_1')).toBe(false);
});

it('However many webhooks are created, only the newest thousands are remembered', () => {
	for (let i = 0; i < 10_000; i++) claim(`hoo_many_${i}`);
	const remembered = Array.from({ length: 10_000 }, (_, i) => isClaimed(`hoo_many_${i}`));
	expect(remembered.filter(Boolean)).toHaveLength(6_000);
	expect(remembered.at(-1)).toBe(true);
});
