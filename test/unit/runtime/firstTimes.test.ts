import { FirstTimes } from '../../../nodes/OutreachService/runtime/firstTimes';

it('Each of 500 keys is new once; one more, and all are forgotten', () => {
	const firstTimes = new FirstTimes();
	const keys = Array.from({ length: 500 }, (_, index) => String(index));
	expect(keys.filter((key) => !firstTimes.isFirst(key))).toEqual([]);
	expect(keys.filter((key) => firstTimes.isFirst(key))).toEqual([]);
	expect([firstTimes.isFirst('one more'), firstTimes.size]).toEqual([true, 1]);
	expect(firstTimes.isFirst('0')).toBe(true);
});
