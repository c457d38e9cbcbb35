import type { Attempt } from '../../../nodes/OutreachService/api/outcome';
import {
	IMPATIENCE,
	nextAttempt,
	PATIENCE,
	type Patience,
} from '../../../nodes/OutreachService/api/retryPolicy';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const refusal = (seconds: number): Attempt => ({
	kind: 'response',
	status: 429,
	text: '',
	headers: { 'retry-after': String(seconds) },
	repeated: false,
});

/** What follows from a refusal that asks for a wait, so long after the first attempt. */
function after(elapsedMs: number, seconds: number, patience: Patience) {
	const startedAt = performance.now() - elapsedMs;
	return nextAttempt(
		refusal(seconds),
		'GET',
		{ failures: 0, rateLimited: 0, startedAt },
		patience,
		0,
	);
}

it('A request may start again until two minutes after its first attempt', () => {
	expect(after(0, 1, PATIENCE)).toEqual({ afterMs: 1_000, because: 'rateLimited' });
	expect(after(90_000, 30, PATIENCE)).toEqual({ afterMs: 30_000, because: 'rateLimited' });
	expect(after(90_001, 30, PATIENCE)).toBe('done');
	expect(after(119_001, 1, PATIENCE)).toBe('done');
});

it('A credential test is repeated only within five seconds, and after two rejections at the most', () => {
	expect(after(3_000, 2, IMPATIENCE)).toEqual({ afterMs: 2_000, because: 'rateLimited' });
	expect(after(3_001, 2, IMPATIENCE)).toBe('done');
	const progress = { failures: 0, rateLimited: 2, startedAt: performance.now() };
	expect(nextAttempt(refusal(1), 'GET', progress, IMPATIENCE, 0)).toBe('done');
	expect(nextAttempt(refusal(1), 'GET', progress, PATIENCE, 0)).not.toBe('done');
});
