import { startService, type RunningService } from '../service';
import { jsonOf, runAction } from './support/action';

let service: RunningService;
beforeEach(async () => {
	service = await startService();
});
afterEach(async () => {
	await service.close();
});

const run = async (
	operation: string,
	parameters: Record<string, string | number | boolean | object>,
	options = {},
) => await runAction(service, { resource: 'webhook', operation, ...parameters } as never, options);

describe('Create', () => {
	it('registers the webhook and gives what the service answered', async () => {
		const items = await run('create', { targetUrl: 'https://crm.test/in', event: 'emailsReplied' });
		const [hook] = service.hooks();
		expect(items).toEqual([
			{
				json: expect.objectContaining({ _id: hook?._id, type: 'emailsReplied' }),
				pairedItem: { item: 0 },
			},
		]);
	});
});
