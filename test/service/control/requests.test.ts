import { z } from 'zod';
import type { RunningService } from '../../../tools/service';
import { call, callApi } from '../testing/apiClient';
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
