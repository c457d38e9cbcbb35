import { z } from 'zod';
import type { RunningService } from '../../../tools/service';
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
