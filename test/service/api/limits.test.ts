/** The rate limit of the local service, as its clients see it (§8). Against a local service that the test starts. */
import type { RunningService } from '../../../tools/service';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const burst = async (running: RunningService, count: number, key?: string) =>
	Promise.all(
		Array.from({ length: count }, async () =>
			callApi(running, 'GET', '/hooks', key === undefined ? {} : { key }),
		),
	);
/** A window longer than any test, so that no test depends on the speed of the machine. */
const limited = { rateLimit: 'sliding', rateLimitWindowMs: 600_000 } as const;

describe('§8 the rate limit', () => {
	it('§8.1 rejects requests over the limit with 429', async () => {
		const running = await service({ switches: limited });
		const responses = await burst(running, 25);
		expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
		expect(responses.filter(({ status }) => status === 429)).toHaveLength(5);
		expect(running.stats()).toEqual({ requests: 25, refused: 5, maxStartsInWindow: 25 });
	});

	it('§8.1 counts each key separately, even two keys of one team', async () => {
		const running = await service({ apiKeys: ['a', 'b'], switches: limited });
		await burst(running, 21, 'a');
		expect((await burst(running, 20, 'b')).every(({ status }) => status === 200)).toBe(true);
		expect(running.stats('a')).toMatchObject({ requests: 21, refused: 1 });
		expect(running.stats('b')).toMatchObject({ requests: 20, refused: 0 });
		expect(running.stats()).toMatchObject({ requests: 41, maxStartsInWindow: 21 });
	});

	it('§8.2 each response has the remaining requests and the time of the reset', async () => {
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

	it('a request without a valid key counts against no limit, and its response has no rate-limit headers', async () => {
		const running = await service({ apiKeys: ['right'], switches: limited });
		const [response] = await burst(running, 1, 'wrong');
		expect(response?.headers['x-ratelimit-limit']).toBeUndefined();
		expect(running.stats()).toEqual({ requests: 0, refused: 0, maxStartsInWindow: 0 });
	});
});

describe('the switches of §8', () => {
	const exceedLimit = async (switches: Parameters<RunningService['setSwitches']>[0]) => {
		const running = await service({ switches: { ...limited, rateLimitRequests: 1, ...switches } });
		const accepted = await callApi(running, 'GET', '/hooks');
		const refused = await callApi(running, 'GET', '/hooks');
		return { accepted, refused };
	};

	it.each([
		['sliding', [200, 200, 200, 429]],
		['fixed', [200, 200, 200, 200]],
	] as const)('rateLimit %s sets how long a request counts', async (rateLimit, expected) => {
		const switches = { rateLimit, rateLimitRequests: 2, rateLimitWindowMs: 10_000 };
		const running = await service({ switches });
		const request = async () => (await callApi(running, 'GET', '/hooks')).status;
		const statuses = [await request()];
		const began = performance.now();
		for (const atMs of [6_000, 11_000, 11_000]) {
			const waitMs = Math.max(0, began + atMs - performance.now());
			await new Promise((resolve) => setTimeout(resolve, waitMs));
			statuses.push(await request());
		}
		expect(statuses).toEqual(expected);
	});

	it.each([
		['never', undefined, undefined],
		['refusals', undefined, '600'],
		['always', '600', '600'],
	] as const)(
		'retryAfter %s sets which responses have Retry-After',
		async (retryAfter, onAccepted, onRefused) => {
			const { accepted, refused } = await exceedLimit({ retryAfter });
			expect(accepted.headers['retry-after']).toBe(onAccepted);
			expect(refused.headers['retry-after']).toBe(onRefused);
		},
	);
});
