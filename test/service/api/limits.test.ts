import { DEFAULT_SWITCHES, type RunningService } from '../../../tools/service/index';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';
import { RateLimiter } from '../../../tools/service/api/rateLimit';
import { rateLimitHeaders } from '../../../tools/service/api/rateLimitHeaders';

const burst = async (running: RunningService, count: number, key?: string) =>
	Promise.all(
		Array.from({ length: count }, async () =>
			callApi(running, 'GET', '/hooks', key === undefined ? {} : { key }),
		),
	);
/** Long enough that no test outlasts a window, so that nothing depends on how quick the machine is. */
const limited = { rateLimit: 'sliding', rateLimitWindowMs: 600_000 } as const;

describe('§8 limits', () => {
	it('§8.1 refuses what exceeds 20 requests in a window, by default with 429', async () => {
		const running = await service({ switches: limited });
		const answers = await burst(running, 25);
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
		expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
		expect(running.stats()).toEqual({ requests: 25, refused: 5, maxStartsInWindow: 25 });
	});

	it('§8.1 counts 20 requests in 2 seconds unless told otherwise', async () => {
		const { switches } = await service();
		expect(switches).toMatchObject({ rateLimitRequests: 20, rateLimitWindowMs: 2000 });
	});

	it('§8.1 counts each key for itself, also two of one team', async () => {
		const running = await service({ apiKeys: ['a', 'b'], switches: limited });
		await burst(running, 21, 'a');
		expect((await burst(running, 20, 'b')).every(({ status }) => status === 200)).toBe(true);
		expect(running.stats('a')).toMatchObject({ requests: 21, refused: 1 });
		expect(running.stats('b')).toMatchObject({ requests: 20, refused: 0 });
		expect(running.stats()).toMatchObject({ requests: 41, maxStartsInWindow: 21 });
	});

	it('§8.1 applies to all routes, unknown ones included', async () => {
		const running = await service({ switches: { ...limited, rateLimitRequests: 4 } });
		await callApi(running, 'POST', '/hooks', { body: {} });
		await callApi(running, 'DELETE', '/hooks/none');
		await callApi(running, 'GET', '/schema/people');
		await callApi(running, 'GET', '/no/such/route');
		expect((await callApi(running, 'GET', '/hooks')).status).toBe(429);
	});

	it('§8.2 says on each answer how many are left, and when that changes', async () => {
		const running = await service({ switches: limited });
		const first = await callApi(running, 'GET', '/hooks');
		expect(first.headers).toMatchObject({
			'x-ratelimit-limit': '20',
			'x-ratelimit-remaining': '19',
		});
		const reset = String(first.headers['x-ratelimit-reset']);
		expect(new Date(reset).toUTCString()).toBe(reset);
		const untilReset = Date.parse(reset) - Date.parse(String(first.headers.date));
		expect(untilReset).toBeGreaterThanOrEqual(600_000);
		expect(untilReset).toBeLessThanOrEqual(602_000);
		expect(first.headers['retry-after']).toBeUndefined();
	});

	it('§8.2 gives the seconds to wait with a refusal', async () => {
		const running = await service({ switches: limited });
		const refused = (await burst(running, 21)).find(({ status }) => status === 429);
		expect(refused?.headers['x-ratelimit-remaining']).toBe('0');
		const seconds = Number(refused?.headers['retry-after']);
		expect(seconds).toBeGreaterThan(590);
		expect(seconds).toBeLessThanOrEqual(600);
	});

	it('§8.2 waiting as long as Retry-After says is enough', async () => {
		const switches = { ...limited, rateLimitRequests: 1, rateLimitWindowMs: 900 };
		const running = await service({ switches });
		const refused = (await burst(running, 5)).find(({ status }) => status === 429);
		const seconds = Number(refused?.headers['retry-after']);
		await new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 5));
		expect((await callApi(running, 'GET', '/hooks')).status).toBe(200);
	});

	it('a request without a valid key counts against nobody and carries no limit headers', async () => {
		const running = await service({ apiKeys: ['right'], switches: limited });
		const [answer] = await burst(running, 1, 'wrong');
		expect(answer?.headers['x-ratelimit-limit']).toBeUndefined();
		expect(running.stats()).toEqual({ requests: 0, refused: 0, maxStartsInWindow: 0 });
	});

	it('with the limit off, nothing is refused but everything is still counted', async () => {
		const running = await service({ switches: { rateLimit: 'off' } });
		const answers = await burst(running, 50);
		expect(answers.every(({ status, headers }) => status === 200 && !headers['retry-after'])).toBe(
			true,
		);
		expect(running.stats()).toMatchObject({ requests: 50, refused: 0 });
		expect(running.stats().maxStartsInWindow).toBeGreaterThan(20);
	});
});

describe('switches of §8', () => {
	const refusalWith = async (switches: Parameters<RunningService['setSwitches']>[0]) => {
		const running = await service({ switches: { ...limited, rateLimitRequests: 1, ...switches } });
		const accepted = await callApi(running, 'GET', '/hooks');
		const refused = await callApi(running, 'GET', '/hooks');
		return { accepted, refused };
	};

	it('rateLimit and refusedCount decide how the limiter counts', async () => {
		const take = jest.spyOn(RateLimiter.prototype, 'take');
		await refusalWith({ rateLimit: 'fixed', refusedCount: true });
		const rules = { requests: 1, windowMs: 600_000, kind: 'fixed', refusedCount: true };
		expect(take).toHaveBeenLastCalledWith(expect.any(Number), rules);
		take.mockRestore();
	});

	it('overLimitStatus', async () => {
		expect((await refusalWith({ overLimitStatus: 503 })).refused.status).toBe(503);
	});

	it.each([
		['never', undefined, undefined],
		['refusals', undefined, '600'],
		['always', '600', '600'],
	] as const)('retryAfter %s', async (retryAfter, onAccepted, onRefused) => {
		const { accepted, refused } = await refusalWith({ retryAfter });
		expect(accepted.headers['retry-after']).toBe(onAccepted);
		expect(refused.headers['retry-after']).toBe(onRefused);
	});

	it.each([
		['never', undefined, undefined],
		['refusals', undefined, '1'],
		['always', '1', '1'],
	] as const)('rateLimitHeaders %s', async (rateLimitHeaders, onAccepted, onRefused) => {
		const { accepted, refused } = await refusalWith({ rateLimitHeaders });
		expect(accepted.headers['x-ratelimit-limit']).toBe(onAccepted);
		expect(refused.headers['x-ratelimit-limit']).toBe(onRefused);
	});

	it('§8.2 a date in whole seconds is never too early', () => {
		const verdict = { allowed: true, remaining: 19, retryAfterMs: 0, resetMs: 2000 };
		const headers = rateLimitHeaders(verdict, DEFAULT_SWITCHES, 1001);
		expect(Date.parse(headers['x-ratelimit-reset'] ?? '')).toBe(4000);
	});

	it.each([
		['http', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/],
		['iso', /^\d{4}-\d\d-\d\dT.*Z$/],
		['javascript', /^\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}/],
	] as const)('resetFormat %s is a date', async (resetFormat, pattern) => {
		const { refused } = await refusalWith({ resetFormat });
		const reset = String(refused.headers['x-ratelimit-reset']);
		expect(reset).toMatch(pattern);
		expect(Date.parse(reset)).toBeGreaterThan(Date.now() + 500_000);
	});
});
