/**
 * D6: a wrong base URL must not look like 'no webhooks', and a redirect must not pass the key to another server. The
 * world is a local service, others at a wrong URL, and the action node in one process of n8n.
 */
import { startService } from '../../../tools/service';
import { byId } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld({ control: true });

const failAt = async (baseUrl: string) =>
	await world.fail('getAll', {}, { credential: { baseUrl, apiKey: 'k' } });

describe('A response that is not the API’s', () => {
	it('fails a delete and a create', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'html', times: 4 });
		for (const [operation, parameters] of [
			['delete', { webhookId: _id }],
			['create', { targetUrl: 'https://crm.test/in', event: '*' }],
		] as const) {
			const error = await world.fail(operation, parameters);
			expect(error.message).toMatch(/does not look like the service's API$/);
			expect(error.httpCode).toBe('200');
		}
	});

	it.each(['GET', 'DELETE', 'POST'])(
		'that redirects a %s is not followed, so that no other host gets the key',
		async (method) => {
			const other = await startService({ apiKeys: [world.service.apiKey] });
			const location = `${other.baseUrl}/hooks`;
			world.service.addFault({
				kind: 'status',
				status: method === 'GET' ? 302 : 307,
				headers: { location },
				times: 3,
			});
			const operation = { GET: 'getAll', DELETE: 'delete', POST: 'create' }[method]!;
			const error = await world.fail(operation, {
				webhookId: 'hoo_1',
				targetUrl: 'https://x.test',
				event: '*',
			});
			expect(error.message).toMatch(/^127\.0\.0\.1:\d+ does not look like the service's API$/);
			expect(error.description).toMatch(/^It redirects to another URL \(status 30[27]\)\./);
			expect(other.requests).toEqual([]);
			await other.close();
		},
	);

	it('is avoided when the Base URL has slashes and spaces around it', async () => {
		world.addWebhook();
		const { baseUrl, apiKey } = world.service;
		const credential = { baseUrl: ` ${baseUrl}// `, apiKey: ` ${apiKey}\n` };
		expect(await world.run('getAll', {}, { credential })).toHaveLength(1);
	});

	it('comes from the control URL of the local service, and the error names the URL of the API', async () => {
		world.addWebhook();
		const { controlUrl, apiKey, baseUrl } = world.service;
		const credential = { baseUrl: controlUrl, apiKey };
		const result = await world.testCredential({ baseUrl: controlUrl });
		expect(result.status).toBe('Error');
		expect(result.message).toContain(`The API is at ${baseUrl}`);
		const error = await world.fail('getAll', {}, { credential });
		expect(error.message).toContain(`The API is at ${baseUrl}`);
	});

	it('comes from a path that the API does not have', async () => {
		const { baseUrl, apiKey } = world.service;
		const credential = { baseUrl: baseUrl.replace('/api', ''), apiKey };
		const error = await world.fail('getAll', {}, { credential });
		expect(error.message).toMatch(/does not look like the service's API$/);
		expect(error.description).toMatch(/^It does not have the path of the API \(status 404/);
	});
});

describe('A base URL where nothing responds', () => {
	it('is reported as a connection that is not secure if there is no HTTPS', async () => {
		const error = await failAt(world.service.baseUrl.replace('http:', 'https:'));
		expect(error.message).toMatch(/^No secure connection to 127\.0\.0\.1:\d+ could be made$/);
		expect(world.requests()).toEqual([]);
	});

	it('is rejected before anything is sent if it is no URL', async () => {
		const error = await failAt('example.com/api');
		expect(error.message).toBe("The 'Base URL' of the credential cannot be used");
	});
});

describe('An account that the service refuses', () => {
	it.each([200, 400])(
		'is reported as an unknown team, and not as done, whatever the status (%d)',
		async (badTeamStatus) => {
			world.service.setSwitches({ badTeamStatus });
			world.service.addApiKey('lost', null);
			const credential = { baseUrl: world.service.baseUrl, apiKey: 'lost' };
			const { _id } = world.addWebhook();
			for (const [operation, parameters] of [
				['getAll', {}],
				['delete', { webhookId: byId(_id) }],
				['create', { targetUrl: 'https://new.test/in', event: '*' }],
			] as const) {
				const error = await world.fail(operation, parameters, { credential });
				expect(error.message).toBe('The service does not know the team of this API key');
				expect(error.description).not.toContain('not known');
			}
			expect(world.webhookIds).toEqual([_id]);
		},
	);
});
