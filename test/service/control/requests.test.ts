import { z } from 'zod';
import type { Fault, RunningService } from '../../../tools/service';
import { basicAuth, call, callApi } from '../testing/apiClient';
import { serviceWithControl } from '../testing/fixture';

const stateSchema = z.object({
	requests: z.array(
		z
			.object({
				id: z.number(),
				receivedAt: z.string(),
				path: z.string(),
				status: z.number().optional(),
				ms: z.number().optional(),
			})
			.passthrough(),
	),
});

/** The list of the control API, once no request is in progress. */
async function listOf(running: RunningService) {
	for (;;) {
		const { json } = await call(`${running.controlUrl}/state`, 'GET');
		const { requests: list } = stateSchema.parse(json);
		if (list.every(({ ms }) => ms !== undefined))
			return list.map((request) => ({ status: undefined, ...request }));
	}
}

describe('The requests in GET /state', () => {
	it('says of each request when it came, how long it took and how it ended', async () => {
		const running = await serviceWithControl();
		const before = Date.now();
		await callApi(running, 'GET', '/hooks');
		await callApi(running, 'DELETE', '/hooks/hoo_gone');
		const [first, second] = await listOf(running);
		expect(first).toEqual({
			id: 1,
			receivedAt: expect.any(String) as string,
			method: 'GET',
			path: '/hooks',
			status: 200,
			ms: expect.any(Number) as number,
			faults: [],
		});
		expect(Date.parse(String(first?.receivedAt))).toBeGreaterThanOrEqual(before);
		expect(second).toMatchObject({ id: 2, method: 'DELETE', path: '/hooks/hoo_gone', status: 404 });
	});

	it('names the fault of a request, and tells a simulated 429 from one of the rate limit', async () => {
		const running = await serviceWithControl({
			switches: { rateLimit: 'sliding', rateLimitRequests: 6, rateLimitWindowMs: 600_000 },
		});
		const faults: Fault[] = [
			{ kind: 'delay', delayMs: 120 },
			{ kind: 'status', status: 429 },
			{ kind: 'status', status: 500, when: 'after' },
			{ kind: 'cut' },
			{ kind: 'half' },
			{ kind: 'drip', everyMs: 1 },
		];
		for (const fault of faults) {
			running.addFault(fault);
			await callApi(running, 'GET', '/hooks').catch(() => undefined);
		}
		await callApi(running, 'GET', '/hooks');
		const list = await listOf(running);
		expect(list).toMatchObject([
			{ status: 200, faults: ['delay'] },
			{ status: 429, faults: ['status'] },
			{ status: 500, faults: ['status'] },
			{ status: undefined, faults: ['cut'], disconnected: true },
			{ status: 200, faults: ['half'], disconnected: true },
			{ status: 200, faults: ['drip'] },
			{ status: 429, faults: [], overLimit: true },
		]);
		expect(list[1]).not.toHaveProperty('overLimit');
		// Timers may fire a little early, never much.
		expect(list[0]?.ms).toBeGreaterThan(110);
	});

	it('lists a request from which the client has disconnected', async () => {
		const running = await serviceWithControl();
		running.addFault({ kind: 'delay', delayMs: 60_000 });
		const client = new AbortController();
		const impatient = fetch(`${running.baseUrl}/hooks`, {
			headers: { authorization: basicAuth(running.apiKey) },
			signal: client.signal,
		});
		while (running.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
		client.abort();
		await expect(impatient).rejects.toThrow();
		expect(await listOf(running)).toMatchObject([{ status: undefined, disconnected: true }]);
	});

	it('keeps no more than it is told to, and never uses an ID twice', async () => {
		const running = await serviceWithControl({ requestLogSize: 5 });
		for (let page = 1; page <= 8; page++) await callApi(running, 'GET', `/hooks?page=${page}`);
		const ids = async () => (await listOf(running)).map(({ id }) => id);
		expect(await ids()).toEqual([4, 5, 6, 7, 8]);
		running.clearRequests();
		await callApi(running, 'GET', '/hooks');
		expect(await ids()).toEqual([9]);
	});

	it('contains neither queries nor bodies, and no key that is or was valid', async () => {
		const running = await serviceWithControl({ apiKeys: ['the/key+of-team', 'old-key'] });
		const body = { targetUrl: 'https://a.test', secret: 'hush' };
		await callApi(running, 'POST', '/hooks?secret=hush&key=old-key', { body });
		running.removeApiKey('old-key');
		for (const key of ['the/key+of-team', 'old-key'])
			await callApi(running, 'GET', `/hooks/${encodeURIComponent(key)}`);
		expect(JSON.stringify(await listOf(running))).not.toMatch(/hush|a\.test|the|old-key/);
	});
});
