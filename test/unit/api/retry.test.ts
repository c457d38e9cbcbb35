/** When a request is sent again, and after which wait. */
import type { RequestError } from '../../../nodes/OutreachService/api/errors';
import { connectionError } from '../../../nodes/OutreachService/api/noResponse';
import { responseError } from '../../../nodes/OutreachService/api/response';
import { isLimitUsedUp, waitAskedFor } from '../../../nodes/OutreachService/api/rateLimit';
import { ITEM, RECURRING, USER, type Policy } from '../../../nodes/OutreachService/api/policy';
import { retryDelay } from '../../../nodes/OutreachService/api/request';
import { responseOf } from './responseOf';

const NOW = 'Sat, 21 Nov 2026 08:00:00 GMT';
const LATER = 'Sat, 21 Nov 2026 08:00:07 GMT';

it.each<[string, Record<string, unknown>, number]>([
	['Retry-After in seconds', { 'retry-after': ' 3 ' }, 3000],
	['Retry-After in parts of a second', { 'retry-after': '0.75' }, 750],
	['Retry-After as a date', { 'retry-after': LATER, date: NOW }, 7000],
	[
		'Retry-After rather than X-RateLimit-Reset',
		{ 'retry-after': '3', 'x-ratelimit-reset': LATER, date: NOW },
		3000,
	],
	['no less than half a second', { 'retry-after': '0.25' }, 500],
	['no more than half a minute', { 'retry-after': '31' }, 30_000],
	['X-RateLimit-Reset as an HTTP date', { 'x-ratelimit-reset': LATER, date: NOW }, 7000],
	[
		'X-RateLimit-Reset as an ISO date',
		{ 'x-ratelimit-reset': '2026-11-21T08:00:07.500Z', date: NOW },
		7500,
	],
	['a window without a Date to compare with', { 'x-ratelimit-reset': LATER }, 2000],
	['a window for a date in the past', { 'x-ratelimit-reset': NOW, date: LATER }, 2000],
	['a window without headers', {}, 2000],
	['a window for no wait at all', { 'retry-after': '0' }, 2000],
	['a window for a number followed by text', { 'retry-after': '3 apples' }, 2000],
])('The wait that a 429 asks for is %s', (_, headers, expected) => {
	expect(waitAskedFor({ status: 429, headers })).toBe(expected);
});

it('Another status asks for a wait with Retry-After alone, and not with 0', () => {
	const asked = (headers: Record<string, string>) => waitAskedFor({ status: 503, headers });
	expect(asked({ 'retry-after': '3' })).toBe(3000);
	expect(asked({ 'retry-after': '0' })).toBeUndefined();
	expect(asked({ 'x-ratelimit-reset': LATER, date: NOW })).toBeUndefined();
});

it('All requests with the key wait only if the limit refuses, or is said to be used up', () => {
	const isUsedUp = (status: number, remaining?: string) =>
		isLimitUsedUp({
			status,
			headers: { 'retry-after': '120', ...(remaining && { 'x-ratelimit-remaining': remaining }) },
		});
	expect([isUsedUp(429), isUsedUp(503, '0'), isUsedUp(403, '0')]).toEqual([true, true, true]);
	expect([isUsedUp(404), isUsedUp(503), isUsedUp(503, '3')]).toEqual([false, false, false]);
});

const responded = (status: number, headers: Record<string, unknown> = {}, text = '') =>
	responseError(responseOf(status, text, headers), 'api.test');

/** With all of the budget left. */
const first = { method: 'GET' as const, failed: 1, leftMs: 120_000 };

describe('A request', () => {
	it('never starts again after its budget, whatever the wait', () => {
		const wait = (error: RequestError, leftMs: number) =>
			retryDelay(error, { ...first, leftMs, policy: ITEM }, 0);
		for (const [error, ms] of [
			[responded(429, { 'retry-after': '31' }), 30_000],
			[responded(500), 500],
		] as const) {
			expect([wait(error, ms), wait(error, ms - 1)]).toEqual([ms, undefined]);
		}
	});

	it('is sent again after a failure only if it may be carried out twice, or was not carried out', () => {
		const methods = ['GET', 'PUT', 'DELETE', 'POST', 'PATCH', 'OPTIONS'] as const;
		const after = (error: RequestError) =>
			methods.filter(
				(method) => retryDelay(error, { ...first, method, policy: ITEM }, 0) !== undefined,
			);
		const without = (code: string) => connectionError({ code }, 'https://api.test/api');
		const idempotent = ['GET', 'PUT', 'DELETE'];
		expect(after(responded(503, { 'retry-after': '1' }))).toEqual(idempotent);
		expect(after(without('ECONNRESET'))).toEqual(idempotent);
		expect(after(responded(429, { 'retry-after': '1' }))).toEqual(methods);
		expect(after(without('ECONNREFUSED'))).toEqual(methods);
		expect(after(responded(400))).toEqual([]);
		expect(after(responded(401, { 'retry-after': '1' }))).toEqual([]);
		expect(after(responded(404, { 'retry-after': '1' }))).toEqual([]);
	});

	it('comes back after a refusal as chance has it: within a window, or soon for a user', () => {
		const refused = responded(429, { 'retry-after': '2' });
		const waits = (limits: Policy) =>
			[0, 0.5, 1].map((chance) => retryDelay(refused, { ...first, policy: limits }, chance));
		expect(waits(ITEM)).toEqual([2_000, 3_000, 4_000]);
		expect(waits(RECURRING)).toEqual([2_000, 3_000, 4_000]);
		expect(waits(USER)).toEqual([2_000, 2_100, 2_200]);
	});

	it.each([
		['an item', ITEM, 4],
		['a person', USER, 3],
		['a check', RECURRING, 2],
	])('is sent, for %s, as often as its policy says', (_, policy, attempts) => {
		const isRepeated = (failed: number) =>
			retryDelay(responded(500), { ...first, failed, policy, leftMs: Infinity }, 0) !== undefined;
		expect([isRepeated(attempts - 1), isRepeated(attempts)]).toEqual([true, false]);
	});

	it('waits twice as long after each failure, and up to a tenth longer as chance has it', () => {
		const waits = (chance: number) =>
			[1, 2, 3, 4].map((failed) =>
				retryDelay(responded(500), { ...first, failed, policy: ITEM }, chance),
			);
		expect(waits(0)).toEqual([500, 1_000, 2_000, undefined]);
		expect(waits(1)).toEqual([550, 1_100, 2_200, undefined]);
	});
});
