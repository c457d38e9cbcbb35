/** D6: a wrong address must not look like 'no webhooks', and never gets the key of another one. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { startService } from '../../../tools/service';
import { actionExecution, failAction, runAction } from '../support/action';
import { actionNode } from '../support/n8n';
import { useWorld } from '../support/world';

const world = useWorld();

const at = async (baseUrl: string) =>
	await failAction({ baseUrl, apiKey: 'k' }, { resource: 'webhook', operation: 'getAll' });

describe('An answer that is not the API’s', () => {
	it.each([
		['a web page', '<!DOCTYPE html><html></html>', 'It responded with a web page (status 200)'],
		['an empty body', '', 'Its response is not what the API sends (status 200)'],
		['an object', '{}', 'Its response is not what the API sends (status 200)'],
		['broken JSON', '[{"_id":"hoo_1"', 'Its response is not what the API sends (status 200)'],
		[
			'a list of something else',
			'[{"id":1}]',
			'Its response is not what the API sends (status 200)',
		],
		['text', 'OK', 'Its response is not what the API sends (status 200)'],
	])('(%s) is an error of the list that points to the Base URL', async (_, body, words) => {
		world.service.addFault({ kind: 'status', status: 200, body });
		const error = await world.fail('getAll');
		expect(error.message).toMatch(
			/^The address 127\.0\.0\.1:\d+ does not look like the service's API$/,
		);
		expect(error.httpCode).toBe('200');
		expect(error.description).toBe(
			`${words}. Compare the 'Base URL' in the credential with the API address in the service's account settings: it ends in /api.`,
		);
	});

	it('deletes and creates nothing', async () => {
		const { _id } = world.addWebhook();
		world.service.addFault({ kind: 'html', times: 4 });
		for (const [operation, parameters] of [
			['delete', { webhookId: _id }],
			['create', { targetUrl: 'https://crm.test/in', event: '*' }],
		] as const) {
			const error = await world.fail(operation, parameters);
			expect(error.message).toMatch(/does not look like/);
			expect(error.httpCode).toBe('200');
		}
	});

	it.each(['GET', 'DELETE', 'POST'])(
		'redirects a %s nowhere, so that no other host gets the key',
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
			expect(error.message).toMatch(/^The address 127\.0\.0\.1:\d+ redirects to another one$/);
			expect(other.requests).toEqual([]);
			await other.close();
		},
	);

	it.each(['/', '//', ''])('is not what a Base URL that ends in "%s" gets', async (end) => {
		world.addWebhook();
		const { baseUrl, apiKey } = world.service;
		const credential = { baseUrl: ` ${baseUrl}${end} `, apiKey: ` ${apiKey}\n` };
		expect(await runAction(credential, { resource: 'webhook', operation: 'getAll' })).toHaveLength(
			1,
		);
	});

	it('is the control side of the local service, whose test names the API’s address', async () => {
		world.addWebhook();
		const { controlUrl, apiKey, baseUrl } = world.service;
		const credential = { baseUrl: controlUrl, apiKey };
		const { context } = actionExecution(credential);
		const result = await actionNode.methods.credentialTest.outreachServiceApiTest.call(
			{ helpers: context.helpers } as never,
			{ id: '1', name: '', type: 'outreachServiceApi', data: credential },
		);
		expect(result.status).toBe('Error');
		expect(result.message).toContain(`The API is at ${baseUrl}`);
		const error = await failAction(credential, { resource: 'webhook', operation: 'getAll' });
		expect(error.message).toContain(`The API is at ${baseUrl}`);
	});

	it('is a path that the API does not have', async () => {
		const { baseUrl, apiKey } = world.service;
		const wrong = { baseUrl: baseUrl.replace('/api', ''), apiKey };
		const error = await failAction(wrong, { resource: 'webhook', operation: 'getAll' });
		expect(error.message).toMatch('The API was not found at');
	});
});

describe('An address where nobody answers', () => {
	it('(an unknown name) is told with the name', async () => {
		const error = await at('https://outreach.invalid/api');
		expect(error.message).toBe('The host outreach.invalid could not be found');
		expect(error.description).toMatch(/\((ENOTFOUND|EAI_AGAIN)\)\. Check the 'Base URL'/);
	}, 20_000);

	it('(a closed port) is told with host and port', async () => {
		const server = createServer().listen(0, '127.0.0.1');
		const { port } = await address(server);
		await new Promise((resolve) => server.close(resolve));
		const error = await at(`http://127.0.0.1:${port}/api`);
		expect(error.message).toBe(`Nothing is listening at 127.0.0.1:${port}`);
		expect(error.description).toMatch('(ECONNREFUSED)');
	});

	it('(no HTTPS there) is told as a connection that is not safe', async () => {
		const error = await at(world.service.baseUrl.replace('http:', 'https:'));
		expect(error.message).toMatch(/^No secure connection to 127\.0\.0\.1:\d+ could be made$/);
		expect(world.requests()).toEqual([]);
	});

	it.each([
		'example.com/api',
		'ftp://example.com',
		'https://',
		'https://me:pw@x.test/api',
		'https://x.test/api?a=1',
		'',
	])('(the Base URL is "%s") is refused before anything is sent', async (baseUrl) => {
		const error = await at(baseUrl);
		expect(error.message).toBe("The 'Base URL' of the credential cannot be used");
	});
});

describe('An account that the service refuses', () => {
	it.each([400, 404, 502])(
		'is told as a team that is not known, with status %d',
		async (badTeamStatus) => {
			world.service.setSwitches({ badTeamStatus });
			world.service.addApiKey('lost', null);
			const { baseUrl } = world.service;
			const error = await failAction(
				{ baseUrl, apiKey: 'lost' },
				{ resource: 'webhook', operation: 'getAll' },
			);
			expect(error.message).toBe('The service does not know the team of this API key');
			expect(world.requests()).toEqual(['GET /hooks']);
		},
	);

	it('is told as a key that was not accepted, after one request', async () => {
		world.service.removeApiKey(world.service.apiKey);
		const error = await world.fail('getAll');
		expect(error.message).toBe('The service did not accept the API key');
		expect(error.httpCode).toBe('401');
		// n8n gives up on a workflow for ever when an error has this word in it.
		expect(`${error.message} ${error.description ?? ''}`).not.toContain('Authorization');
		expect(world.requests()).toEqual(['GET /hooks']);
	});
});

async function address(server: Server): Promise<AddressInfo> {
	await new Promise((resolve) => server.once('listening', resolve));
	return server.address() as AddressInfo;
}
