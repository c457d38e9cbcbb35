import { RecentSet } from '../../../nodes/OutreachService/utils/recentSet';

it('A recent set says what is new, and forgets the oldest first', () => {
	const recent = new RecentSet(2);
	expect(['a', 'b', 'a', 'c'].map((value) => recent.add(value))).toEqual([true, true, false, true]);
	expect(['a', 'b', 'c'].map((value) => recent.has(value))).toEqual([false, true, true]);
	expect(recent.size).toBe(2);
});
