import { Handovers } from '../../../nodes/OutreachService/runtime/handovers';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

it('A failure is handed over once, within ten seconds, and the first one counts', () => {
	const handovers = new Handovers();
	expect(handovers.takeFailure('node')).toBeUndefined();
	handovers.leaveFailure('node', 'list');
	handovers.leaveFailure('node', 'other');
	handovers.leaveFailure('another', 'other');
	jest.advanceTimersByTime(9_999);
	expect([handovers.takeFailure('node'), handovers.takeFailure('node')]).toEqual([
		'list',
		undefined,
	]);
	jest.advanceTimersByTime(1);
	expect(handovers.takeFailure('another')).toBeUndefined();
	handovers.leaveFailure('node', 'list');
	jest.advanceTimersByTime(10_000);
	handovers.leaveFailure('node', 'other');
	expect(handovers.takeFailure('node')).toBe('other');
});

it('An activation that failed long ago is forgotten with the next one', () => {
	const handovers = new Handovers();
	handovers.leaveFailure('one', 'list');
	jest.advanceTimersByTime(10_000);
	handovers.leaveFailure('other', 'list');
	expect(handovers.size).toBe(1);
});

it('A list is handed over once, within ten seconds, and only with the same static data', () => {
	const handovers = new Handovers();
	const [own, other] = [{}, {}];
	handovers.leave(own, []);
	jest.advanceTimersByTime(9_999);
	expect(handovers.take(other)).toBeUndefined();
	expect([handovers.take(own), handovers.take(own)]).toEqual([[], undefined]);
	handovers.leave(own, []);
	jest.advanceTimersByTime(10_000);
	expect(handovers.take(own)).toBeUndefined();
});
