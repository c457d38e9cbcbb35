/** D6: a wrong base URL must not look like 'no webhooks', and a redirect must not pass the key to another server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { startService } from '../../../tools/service';
import { byId } from '../support/action';
import { useWorld } from '../support/world';
import { UNKNOWN_HOST } from '../support/unknownHost';

const world = useWorld({ control: true });

const failAt = async (baseUrl: string) =>
	await world.fail('getAll', {}, { credential: { baseUrl, apiKey: 'k' } });

describe('A response that is not the API’s', () => {
	it.each([
		['a web page', '<!DOCTYPE html><html></html>', 'It responded with a web page (status 200)'],
		['an empty body', '', 'Its response is not what the API sends (status 200)'],
		['an object', '{}', 'Its response is not what the API sends (status 200)'],
		['broken JSON', '[{"_id":"hoo_1"', 'Its response is not what the API sends (status 200)'],
		[
			'a list of other objects',
			'[{"id":1}]',
			'Its response is not what the API sends (status 200)',
		],
		['text', 'OK', 'Its response is not what the API sends (status 200)'],
	])('(%s) fails the list with an error about the Base URL', async (_, body, words) => {
		world.service.addFault({ kind: 'status', status: 200, body });
		const error = await world.fail('getAll');
		expect(error.message).toMatch(/^127\.0\.0\.1:\d+ does not look like the service's API$/);
		expect(error.httpCode).toBe('200');
		expect(error.description).toBe(
			`${words}. Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.`,
		);
	});

	it('fails a delete and a create', async () => {
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
			expect(error.message).toMatch(/^127\.0\.0\.1:\d+ redirects to another URL$/);
			expect(other.requests).toEqual([]);
			await other.close();
		},
	);

	it.each(['/', '//', ''])('is avoided when the Base URL ends in "%s"', async (end) => {
		world.addWebhook();
		const { baseUrl, apiKey } = world.service;
		const credential = { baseUrl: ` ${baseUrl}${end} `, apiKey: ` ${apiKey}\n` };
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
		expect(error.message).toMatch('The API was not found at');
	});
});

describe('A base URL where nothing responds', () => {
	it('(an unknown host) is reported with the host', async () => {
		const error = await failAt(`https://${UNKNOWN_HOST}/api`);
		expect(error.message).toBe(`The host ${UNKNOWN_HOST} could not be found`);
		expect(error.description).toMatch(/\(ENOTFOUND\)\. Check the 'Base URL'/);
	}, 20_000);

	it('(a closed port) is reported with host and port', async () => {
		const server = createServer().listen(0, '127.0.0.1');
		const { port } = await addressOf(server);
		await new Promise((resolve) => server.close(resolve));
		const error = await failAt(`http://127.0.0.1:${port}/api`);
		expect(error.message).toBe(`Nothing is listening at 127.0.0.1:${port}`);
		expect(error.description).toMatch('(ECONNREFUSED)');
	});

	it('(no HTTPS) is reported as a connection that is not secure', async () => {
		const error = await failAt(world.service.baseUrl.replace('http:', 'https:'));
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
	])('(the invalid "%s") is rejected before anything is sent', async (baseUrl) => {
		const error = await failAt(baseUrl);
		expect(error.message).toBe("The 'Base URL' of the credential cannot be used");
	});
});

describe('An account that the service refuses', () => {
	it.each([400, 404, 502])(
		'is reported as an unknown team, with status %d',
		async (badTeamStatus) => {
			world.service.setSwitches({ badTeamStatus });
			world.service.addApiKey('lost', null);
			const { baseUrl } = world.service;
			const credential = { baseUrl, apiKey: 'lost' };
			const error = await world.fail('getAll', {}, { credential });
			expect(error.message).toBe('The service does not know the team of this API key');
			expect(world.requests()).toEqual(['GET /hooks']);
		},
	);

	it.each([200, 400])(
		'is reported as an unknown team, and not as done, when something is to be changed (status %d)',
		async (badTeamStatus) => {
			world.service.setSwitches({ badTeamStatus });
			world.service.addApiKey('lost', null);
			const credential = { baseUrl: world.service.baseUrl, apiKey: 'lost' };
			const { _id } = world.addWebhook();
			for (const [operation, parameters] of [
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

	it('is reported as a key that was not accepted, after one request', async () => {
		world.service.removeApiKey(world.service.apiKey);
		const error = await world.fail('getAll');
		expect(error.message).toBe('The service did not accept the API key');
		expect(error.httpCode).toBe('401');
		// n8n stops reactivating a workflow when an error contains this word.
		expect(`${error.message} ${error.description ?? ''}`).not.toContain('Authorization');
		expect(world.requests()).toEqual(['GET /hooks']);
	});
});

async function addressOf(server: Server): Promise<AddressInfo> {
	await new Promise((resolve) => server.once('listening', resolve));
	return server.address() as AddressInfo;
}
