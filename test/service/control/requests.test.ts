import fc from 'fast-check';
import { z } from 'zod';
import { basicAuth, call, callApi } from '../testing/apiClient';
import { serviceWithControl } from '../testing/fixture';
import type { Fault, RunningService } from '../../../tools/service/index';

const requestSchema = z
	.object({
		id: z.number(),
		receivedAt: z.string().datetime(),
		method: z.string(),
		path: z.string(),
		status: z.number().optional(),
		ms: z.number().optional(),
		faults: z.array(z.string()),
	})
	.passthrough();

/** The list of the control API, once no request is in progress. */
async function listOf(running: RunningService, query = '') {
	for (;;) {
		const { json } = await call(`${running.controlUrl}/requests${query}`, 'GET');
		const list = z.array(requestSchema).parse(json);
		if (list.every(({ ms }) => ms !== undefined))
			return list.map((request) => ({ status: undefined, ...request }));
	}
}

describe('GET /requests', () => {
	it('says of each request when it came, how long it took and how it ended', async () => {
		const running = await serviceWithControl();
		const before = new Date().toISOString();
		await callApi(running, 'GET', '/hooks');
		await callApi(running, 'DELETE', '/hooks/hoo_gone');
		const list = await listOf(running);
		expect(list).toMatchObject([
			{ id: 1, method: 'GET', path: '/hooks', status: 200, faults: [] },
			{ id: 2, method: 'DELETE', path: '/hooks/hoo_gone', status: 404, faults: [] },
		]);
		for (const { receivedAt, ms, ...rest } of list) {
			expect(receivedAt >= before && receivedAt <= new Date().toISOString()).toBe(true);
			expect(ms).toBeGreaterThanOrEqual(0);
			expect(rest).not.toHaveProperty('disconnected');
			expect(rest).not.toHaveProperty('overLimit');
		}
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
		const impatient = fetch(`${running.baseUrl}/hooks`, {
			headers: { authorization: basicAuth(running.apiKey) },
			signal: AbortSignal.timeout(100),
		});
		await expect(impatient).rejects.toThrow();
		expect(await listOf(running)).toMatchObject([{ status: undefined, disconnected: true }]);
	});

	it('returns the newest with limit, and keeps no more than it is told to', async () => {
		const running = await serviceWithControl({ requestLogSize: 5 });
		for (let page = 1; page <= 8; page++) await callApi(running, 'GET', `/hooks?page=${page}`);
		const idsOf = async (query?: string) => (await listOf(running, query)).map(({ id }) => id);
		expect(await idsOf()).toEqual([4, 5, 6, 7, 8]);
		expect(await idsOf('?limit=2')).toEqual([7, 8]);
		for (const limit of ['0', '-1', '1.5', 'many']) {
			const refused = await call(`${running.controlUrl}/requests?limit=${limit}`, 'GET');
			expect(refused.status).toBe(400);
		}
		running.clearRequests();
		await callApi(running, 'GET', '/hooks');
		expect(await idsOf()).toEqual([9]);
	});

	it('never contains a key or a secret, wherever a client has put it', async () => {
		const running = await serviceWithControl({ apiKeys: ['the/key+of-team'] });
		const { apiKey } = running;
		const hidden = 'hush-hush';
		const word = fc.constantFrom(
			apiKey,
			encodeURIComponent(apiKey),
			basicAuth(apiKey),
			`${apiKey},`,
		);
		const place = fc.constantFrom<(text: string) => [path: string, body?: unknown]>(
			(text) => [`/hooks/${encodeURIComponent(text)}`],
			(text) => [`/hooks?key=${encodeURIComponent(text)}`],
			(text) => [`/hooks?${encodeURIComponent(text)}=1&secret=${hidden}`],
			(text) => ['/hooks', { targetUrl: `https://a.test/?k=${text}`, secret: hidden }],
			(text) => ['/hooks', [{ deep: [{ [text]: 1, Secret: { value: hidden } }] }]],
			(text) => [`/hooks?secret=${hidden}&secret=${hidden}`, text],
		);
		await fc.assert(
			fc.asyncProperty(place, word, async (put, text) => {
				const [path, body] = put(text);
				await callApi(running, 'POST', path, { body });
				const { text: list } = await call(`${running.controlUrl}/requests?limit=1`, 'GET');
				const [, found] = /"path":"\/(hooks)/.exec(list) ?? [];
				expect(found).toBe('hooks');
				const encoded = basicAuth(apiKey).slice('Basic '.length).replace(/=+$/, '');
				for (const form of [apiKey, encodeURIComponent(apiKey), encoded, hidden])
					expect(list).not.toContain(form);
			}),
			{ numRuns: 60 },
		);
	});

	it('redacts a key that has been added later or revoked since, and no part of a longer word', async () => {
		const running = await serviceWithControl({ apiKeys: ['hook', 'old-key'] });
		await callApi(running, 'GET', '/hooks/old-key');
		await callApi(running, 'GET', '/hooks?key=next-key');
		running.addApiKey('next-key');
		running.removeApiKey('old-key');
		expect(await listOf(running)).toMatchObject([
			{ path: '/hooks/(API key)' },
			{ path: '/hooks', query: { key: '(API key)' } },
		]);
	});

	it('stays readable after a body that is nested very deeply', async () => {
		const running = await serviceWithControl();
		const depth = 9000;
		await callApi(running, 'POST', '/hooks', { body: '['.repeat(depth) + ']'.repeat(depth) });
		const { status, text } = await call(`${running.controlUrl}/requests`, 'GET');
		expect(status).toBe(200);
		expect(text).toContain('(nested too deeply)');
	});
});
