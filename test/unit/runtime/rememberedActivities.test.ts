import { MAX_REMEMBERED } from '../../../nodes/OutreachService/runtime/limits';
import {
	activityKey,
	REMEMBERED_MS,
	RememberedActivities,
} from '../../../nodes/OutreachService/runtime/rememberedActivities';

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
	jest.useRealTimers();
});

function filled(counts: Record<string, number>): RememberedActivities {
	const remembered = new RememberedActivities();
	for (const [node, count] of Object.entries(counts)) {
		for (let n = 0; n < count; n += 1) remembered.add(node, `${node}${n}`);
	}
	return remembered;
}

describe('An activity', () => {
	it('is remembered for a day, and only for its node', () => {
		const remembered = filled({ a: 1 });
		jest.advanceTimersByTime(REMEMBERED_MS - 1);
		expect([remembered.has('a', 'a0'), remembered.has('b', 'a0')]).toEqual([true, false]);
		jest.advanceTimersByTime(1);
		expect(remembered.has('a', 'a0')).toBe(false);
		expect(REMEMBERED_MS).toBe(86_400_000);
	});

	it('counts once when it is added again, and is remembered from then on', () => {
		const remembered = filled({ a: 2 });
		jest.advanceTimersByTime(REMEMBERED_MS / 2);
		remembered.add('a', 'a0');
		jest.advanceTimersByTime(REMEMBERED_MS / 2);
		expect([remembered.has('a', 'a0'), remembered.has('a', 'a1')]).toEqual([true, false]);
		expect(remembered.size).toBe(2);
	});

	it('is one of the last 50,000 that a process remembers', () => {
		const remembered = filled({ a: 50_000 });
		expect(remembered.has('a', 'a0')).toBe(true);
		remembered.add('a', 'one more');
		expect([remembered.has('a', 'a0'), remembered.size]).toEqual([false, 50_000]);
	});

	it('is evicted by a flood of events in its own workflow, oldest first', () => {
		const remembered = filled({ a: MAX_REMEMBERED + 1 });
		expect([remembered.has('a', 'a0'), remembered.has('a', 'a1')]).toEqual([false, true]);
		expect(remembered.size).toBe(MAX_REMEMBERED);
	});

	it('is not evicted by a flood of events in another workflow', () => {
		const remembered = filled({ quiet: 3, flooded: 2 * MAX_REMEMBERED });
		expect([0, 1, 2].every((n) => remembered.has('quiet', `quiet${n}`))).toBe(true);
		expect(remembered.size).toBe(MAX_REMEMBERED);
		remembered.add('quiet', 'quiet3');
		expect([0, 1, 2, 3].every((n) => remembered.has('quiet', `quiet${n}`))).toBe(true);
		expect(remembered.size).toBe(MAX_REMEMBERED);
	});

	it.each([
		['first', { flooded: MAX_REMEMBERED - 4, one: 2, other: 2 }],
		['between others', { one: 2, flooded: MAX_REMEMBERED - 4, other: 2 }],
		['last', { one: 2, other: 2, flooded: MAX_REMEMBERED - 4 }],
	])('is evicted from the workflow with the most, when that came %s', (_, counts) => {
		const remembered = filled(counts);
		remembered.add('other', 'one more');
		const kept = ['one0', 'other0', 'flooded0', 'flooded1'].map((key) =>
			remembered.has(key.slice(0, -1), key),
		);
		expect(kept).toEqual([true, true, false, true]);
	});

	it('is not evicted while there are expired activities to evict', () => {
		const remembered = filled({ old: MAX_REMEMBERED / 4 });
		jest.advanceTimersByTime(REMEMBERED_MS);
		for (let n = 0; n <= (MAX_REMEMBERED * 3) / 4; n += 1) remembered.add('busy', String(n));
		expect(remembered.has('busy', '0')).toBe(true);
		expect(remembered.size).toBe((MAX_REMEMBERED * 3) / 4 + 1);
	});
});

describe('The key of an activity', () => {
	it('has a fixed length, however long the fields are', () => {
		expect(activityKey('*', 'emailsReplied', 'x'.repeat(4_000_000))).toHaveLength(24);
		expect(activityKey('x'.repeat(4_000_000), 'x'.repeat(4_000_000), 'act_1')).toHaveLength(24);
	});

	it('differs by webhook, type and ID, and keeps the three apart', () => {
		const keys = [
			activityKey('*', 'emailsReplied', 'act_1'),
			activityKey('*', 'warmed', 'act_1'),
			activityKey('*', undefined, 'act_1'),
			activityKey('warmed', 'emailsReplied', 'act_1'),
			activityKey('*', 'emailsReplied', 'act_2'),
			activityKey('a\nb', 'c', 'd'),
			activityKey('a', 'b\nc', 'd'),
			activityKey('a', 'b', 'c\nd'),
			activityKey('a","b', undefined, 'd'),
			activityKey('a', 'b', 'd'),
		];
		expect(new Set(keys).size).toBe(keys.length);
		expect(activityKey('*', 'warmed', 'act_1')).toBe(keys[1]);
	});
});
