import fc from 'fast-check';

import {
	backOff,
	LONGEST_WAIT_MS,
	retryAfter,
	waitAfterRateLimit,
	withJitter,
} from '../../../nodes/OutreachService/api/retryTiming';

const NOW = 'Sat, 21 Nov 2026 08:00:00 GMT';
const LATER = 'Sat, 21 Nov 2026 08:00:07 GMT';

describe('The wait after a refusal', () => {
	it.each([
		['Retry-After in seconds', { 'retry-after': '3' }, 3000],
		['Retry-After in tenths of a second', { 'retry-after': '0.5' }, 500],
		['Retry-After in hundredths of a second', { 'retry-after': '0.25' }, 250],
		['Retry-After with spaces around it', { 'retry-after': ' 3 ' }, 3000],
		['the default for a number followed by text', { 'retry-after': '3 apples' }, 2000],
		[
			'the default for a date without a full year',
			{ 'retry-after': '1 Jan 30 10:00', date: NOW },
			2000,
		],
		['Retry-After as a date', { 'retry-after': LATER, date: NOW }, 7000],
		[
			'Retry-After rather than X-RateLimit-Reset',
			{ 'retry-after': '3', 'x-ratelimit-reset': LATER, date: NOW },
			3000,
		],
		['X-RateLimit-Reset as an HTTP date', { 'x-ratelimit-reset': LATER, date: NOW }, 7000],
		[
			'X-RateLimit-Reset as an ISO date',
			{ 'x-ratelimit-reset': '2026-11-21T08:00:07.500Z', date: NOW },
			7500,
		],
		[
			'X-RateLimit-Reset as JavaScript writes dates',
			{
				'x-ratelimit-reset': 'Sat Nov 21 2026 08:00:07 GMT+0000 (Coordinated Universal Time)',
				date: NOW,
			},
			7000,
		],
		[
			'the default for X-RateLimit-Reset without a Date to compare it with',
			{ 'x-ratelimit-reset': LATER },
			2000,
		],
		[
			'the default for X-RateLimit-Reset in the past',
			{ 'x-ratelimit-reset': NOW, date: LATER },
			2000,
		],
		['the default when there are no headers', {}, 2000],
		[
			'the default for nonsense that Date.parse accepts as a date',
			{ 'retry-after': 'soon 5', date: NOW },
			2000,
		],
		['the default for a negative number', { 'retry-after': '-5' }, 2000],
		['the default for several values', { 'retry-after': ['1', '2'] }, 2000],
		['the maximum for a longer wait', { 'retry-after': '86400' }, LONGEST_WAIT_MS],
	])('is %s', (_, headers, expected) => {
		expect(waitAfterRateLimit(headers)).toBe(expected);
	});

	const value = fc.oneof(
		fc.string(),
		fc.integer().map(String),
		fc.double().map(String),
		fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
		fc.constantFrom('Infinity', '1e9', '0x10', ''),
		fc.anything(),
	);
	const headers = fc.record(
		{ 'retry-after': value, 'x-ratelimit-reset': value, date: value },
		{ requiredKeys: [] },
	);

	it('is between 50 ms and the maximum, whatever the headers', () => {
		fc.assert(
			fc.property(headers, fc.integer({ min: 1, max: 5000 }), (given, refusals) => {
				const wait = waitAfterRateLimit(given, refusals);
				expect(wait).toBeGreaterThanOrEqual(50);
				expect(wait).toBeLessThanOrEqual(LONGEST_WAIT_MS);
			}),
		);
	});

	it('never gets shorter from one refusal to the next, and reaches at least a window', () => {
		fc.assert(
			fc.property(headers, fc.integer({ min: 1, max: 30 }), (given, refusals) => {
				const wait = waitAfterRateLimit(given, refusals);
				expect(waitAfterRateLimit(given, refusals + 1)).toBeGreaterThanOrEqual(wait);
				expect(waitAfterRateLimit(given, 30)).toBeGreaterThanOrEqual(2000);
			}),
		);
	});

	it('does not depend on the clock of the service being right', () => {
		const time = fc.integer({ min: 0, max: 2 ** 41 });
		const ahead = fc.integer({ min: 0, max: 29 });
		fc.assert(
			fc.property(time, ahead, (clock, seconds) => {
				const at = (ms: number) => new Date(ms).toUTCString();
				const given = { 'x-ratelimit-reset': at(clock + seconds * 1000), date: at(clock) };
				expect(waitAfterRateLimit(given)).toBe(Math.max(seconds * 1000, 50));
			}),
		);
	});
});

it('Retry-After counts only if it is a number of seconds or a date in the future', () => {
	expect(retryAfter({ 'retry-after': '0' })).toBe(0);
	expect(retryAfter({ 'retry-after': NOW, date: LATER })).toBeUndefined();
	expect(retryAfter({ 'retry-after': ' ' })).toBeUndefined();
});

it('The wait after a failure doubles each time, up to a maximum', () => {
	expect([1, 2, 3, 4].map(backOff)).toEqual([500, 1000, 2000, 4000]);
	expect(backOff(50)).toBe(LONGEST_WAIT_MS);
});

it('Jitter spreads the requests of several processes', () => {
	expect([0, 0.5, 1].map((random) => withJitter(1_000, random))).toEqual([1_000, 1_050, 1_100]);
});

it('Jitter adds at most a tenth of the wait, and at most a tenth of a window', () => {
	fc.assert(
		fc.property(fc.nat(60_000), fc.double({ min: 0, max: 1, noNaN: true }), (ms, random) => {
			const jittered = withJitter(ms, random);
			expect(jittered).toBeGreaterThanOrEqual(ms);
			expect(jittered).toBeLessThanOrEqual(ms + Math.min(ms * 0.1, 200));
		}),
	);
});
