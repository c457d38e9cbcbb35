import type { Attempt } from '../../../nodes/OutreachService/api/outcome';
import {
	CREDENTIAL_TEST_POLICY,
	nextAttempt,
	DEFAULT_POLICY,
	type RetryPolicy,
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
function after(elapsedMs: number, seconds: number, policy: RetryPolicy) {
	const startedAt = performance.now() - elapsedMs;
	return nextAttempt(
		refusal(seconds),
		'GET',
		{ failures: 0, rateLimited: 0, startedAt },
		policy,
		0,
	);
}

it('A request may start again until two minutes after its first attempt', () => {
	expect(after(0, 1, DEFAULT_POLICY)).toEqual({ afterMs: 1_000, because: 'rateLimited' });
	expect(after(90_000, 30, DEFAULT_POLICY)).toEqual({ afterMs: 30_000, because: 'rateLimited' });
	expect(after(90_001, 30, DEFAULT_POLICY)).toBe('done');
	expect(after(119_001, 1, DEFAULT_POLICY)).toBe('done');
});

it('A credential test is repeated only within five seconds, and after two rejections at the most', () => {
	expect(after(3_000, 2, CREDENTIAL_TEST_POLICY)).toEqual({
		afterMs: 2_000,
		because: 'rateLimited',
	});
	expect(after(3_001, 2, CREDENTIAL_TEST_POLICY)).toBe('done');
	const progress = { failures: 0, rateLimited: 2, startedAt: performance.now() };
	expect(nextAttempt(refusal(1), 'GET', progress, CREDENTIAL_TEST_POLICY, 0)).toBe('done');
	expect(nextAttempt(refusal(1), 'GET', progress, DEFAULT_POLICY, 0)).not.toBe('done');
});

describe('A GET that failed', () => {
	const first = { failures: 0, rateLimited: 0, startedAt: undefined };
	const next = (attempt: Partial<Extract<Attempt, { kind: 'response' }>>, progress = first) =>
		nextAttempt({ ...refusal(1), ...attempt } as Attempt, 'GET', progress, DEFAULT_POLICY, 0);

	it('waits up to a tenth longer, as chance has it', () => {
		const attempt = { ...refusal(1), status: 500, headers: {} };
		const waits = [0, 1].map((random) =>
			nextAttempt(attempt, 'GET', first, DEFAULT_POLICY, random),
		);
		expect(waits).toEqual([500, 550].map((afterMs) => ({ afterMs, because: 'failed' })));
	});

	it("is not sent again after 'Webhook not found', whatever its status", () => {
		expect(next({ status: 503, text: 'Webhook not found' })).toBe('done');
		expect(next({ status: 503 })).toMatchObject({ because: 'rateLimited' });
	});

	it('is sent again when a 4xx asks for a wait, but not a redirect or a wrong key', () => {
		expect(next({ status: 400 })).toEqual({ afterMs: 1_000, because: 'rateLimited' });
		expect([399, 302, 401].map((status) => next({ status }))).toEqual(['done', 'done', 'done']);
		expect(next({ status: 400, headers: {} })).toBe('done');
	});

	it('is sent again after a failure of the service, and waits twice as long each time', () => {
		const failed = { status: 500, headers: {} };
		const waits = [0, 1, 2].map((failures) => next(failed, { ...first, failures }));
		expect(waits).toEqual([500, 1_000, 2_000].map((afterMs) => ({ afterMs, because: 'failed' })));
		expect(next(failed, { ...first, failures: 3 })).toBe('done');
	});

	it('waits longer each time when the service asks for no wait at all', () => {
		const headers = { 'retry-after': '0' };
		const waits = [0, 1, 2].map((rateLimited) => next({ headers }, { ...first, rateLimited }));
		expect(waits).toEqual([50, 100, 200].map((afterMs) => ({ afterMs, because: 'rateLimited' })));
	});
});
