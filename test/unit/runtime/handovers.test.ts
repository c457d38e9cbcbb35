import { Handovers } from '../../../nodes/OutreachService/runtime/handovers';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
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
