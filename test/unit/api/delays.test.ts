import fc from 'fast-check';

import { Delays } from '../../../nodes/OutreachService/api/delays';
import type { Attempt } from '../../../nodes/OutreachService/api/outcome';

const responded = (status: number): Attempt => ({
	kind: 'response',
	status,
	text: '',
	headers: {},
	repeated: false,
});

beforeEach(() => {
	jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
	jest.useRealTimers();
});

describe('The delays of an execution', () => {
	it('are reported with their causes once they exceed a second', () => {
		const delays = new Delays();
		delays.add(responded(503), 900);
		expect(delays.describe()).toBeUndefined();
		jest.advanceTimersByTime(900);
		for (let i = 0; i < 2; i++) {
			delays.add(responded(429), 1_350);
			jest.advanceTimersByTime(1_350);
		}
		delays.add({ kind: 'unreachable', code: 'ECONNRESET' }, 100);
		expect(delays.describe()).toBe(
			'Waited 3.7 s: the service responded with 503 once, the service responded with 429 twice, there was no response (ECONNRESET) once',
		);
	});

	it('say how often the same happened', () => {
		const delays = new Delays();
		for (let i = 0; i < 3; i++) {
			delays.add(responded(503), 1_000);
			jest.advanceTimersByTime(1_000);
		}
		expect(delays.describe()).toBe('Waited 3.0 s: the service responded with 503 3 times');
	});

	it('count once when several requests wait at the same time', () => {
		fc.assert(
			fc.property(
				fc.array(fc.record({ gap: fc.nat(3_000), wait: fc.nat(5_000) }), { minLength: 1 }),
				(requests) => {
					jest.setSystemTime(0);
					const delays = new Delays();
					const waiting = new Set<number>();
					let now = 0;
					for (const { gap, wait } of requests) {
						jest.advanceTimersByTime(gap);
						now += gap;
						delays.add(responded(503), wait);
						for (let ms = now; ms < now + wait; ms++) waiting.add(ms);
					}
					const seconds = /^Waited ([\d.]+) s/.exec(delays.describe() ?? '')?.[1];
					expect(Number(seconds ?? 0)).toBeCloseTo(
						waiting.size < 1_000 ? 0 : waiting.size / 1000,
						0,
					);
				},
			),
			{ numRuns: 30 },
		);
	});
});
