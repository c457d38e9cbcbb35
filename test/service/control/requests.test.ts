import { z } from 'zod';
import type { Fault, RunningService } from '../../../tools/service';
import { call, callApi } from '../testing/apiClient';
import { serviceWithControl } from '../testing/fixture';

const listSchema = z.array(
	z
		.object({
			id: z.number(),
			receivedAt: z.string(),
			path: z.string(),
			status: z.number().optional(),
			ms: z.number().optional(),
		})
		.passthrough(),
);

/** The list of the control API, once no request is in progress. */
async function listOf(running: RunningService) {
	for (;;) {
		const { json } = await call(`${running.controlUrl}/requests`, 'GET');
		const list = listSchema.parse(json);
		if (list.every(({ ms }) => ms !== undefined))
			return list.map((request) => ({ status: undefined, ...request }));
	}
}

describe('GET /requests', () => {
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

	it('contains neither queries nor bodies, and no key that is or was valid', async () => {
		const running = await serviceWithControl({ apiKeys: ['the/key+of-team', 'hook', 'old-key'] });
		const body = { targetUrl: 'https://a.test', secret: 'hush', key: 'the/key+of-team' };
		await callApi(running, 'POST', '/hooks?secret=hush&key=old-key', { body });
		for (const key of ['the/key+of-team', 'old-key', 'next-key'])
			await callApi(running, 'GET', `/hooks/${encodeURIComponent(key)}`);
		running.addApiKey('next-key');
		running.removeApiKey('old-key');
		const list = await listOf(running);
		expect(list.map(({ path }) => path)).toEqual([
			'/hooks',
			...Array<string>(3).fill('/hooks/(API key)'),
		]);
		expect(JSON.stringify(list)).not.toMatch(/hush|the|old-key/);
	});
});
