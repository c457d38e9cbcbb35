/**
 * The credential test, and how often the credential is read. The world is a local service and both nodes in one process
 * of n8n.
 */
import { SsrfBlockedIpError } from '@n8n/backend-network';
import { NodeOperationError } from 'n8n-workflow';

import { jsonOf } from '../support/action';
import { until } from '../support/until';
import { useWorld } from '../support/world';
import { UNKNOWN_HOST } from '../support/unknownHost';

const world = useWorld();

const REFUSAL = { kind: 'status', status: 429, headers: { 'retry-after': '0' } } as const;

describe('The credential test', () => {
	it('accepts a key that may list webhooks, with one request', async () => {
		expect(await world.testCredential()).toEqual({
			status: 'OK',
			message: 'The service accepted the API key',
		});
		expect(world.requests()).toEqual(['GET /hooks']);
	});

	it('waits while workflows use up the rate limit, and accepts the key', async () => {
		world.service.addFault({ ...REFUSAL, times: 2 });
		expect(await world.testCredential()).toMatchObject({ status: 'OK' });
		expect(world.requests()).toHaveLength(3);
		await Promise.all(Array.from({ length: 20 }, async () => await world.run('getAll')));
		expect(await world.testCredential()).toMatchObject({ status: 'OK' });
		expect(world.service.stats().refused).toBe(0);
	});

	it('does not wait when the service asks to retry in half a minute', async () => {
		world.service.addFault({ ...REFUSAL, headers: { 'retry-after': '30' } });
		expect(await world.testCredential()).toMatchObject({
			message: expect.stringContaining('accepts no further request') as string,
		});
		expect(world.requests()).toHaveLength(1);
	});

	it.each([
		['a wrong key', { apiKey: 'wrong' }, /^The service did not accept the API key\. It responded/],
		['no key', { apiKey: ' ' }, /^The 'API Key' of the credential cannot be used\. It is empty/],
		[
			'an unknown host',
			{ baseUrl: `https://${UNKNOWN_HOST}` },
			new RegExp(`^The host ${UNKNOWN_HOST} could not be`),
		],
	])('explains %s', async (_, change, message) => {
		expect(await world.testCredential(change)).toEqual({
			status: 'Error',
			message: expect.stringMatching(message) as string,
		});
	});

	it.each([
		['a web page', { kind: 'html' }, /does not look like .* It responded with a web page/],
		['an object', { kind: 'status', status: 200, body: '{}' }, /does not look like/],
		[
			'repeated refusals for the rate limit',
			{ ...REFUSAL, headers: {}, times: 50 },
			/accepts no further request .* Try again in half a minute/,
		],
		['a redirect', { kind: 'status', status: 301, headers: { location: '/' } }, /redirects/],
		[
			'a list with the status of an error',
			{ kind: 'status', status: 418, body: '[]' },
			/status 418/,
		],
	] as const)('fails for %s', async (_, fault, message) => {
		world.service.addFault(fault);
		expect(await world.testCredential()).toEqual({
			status: 'Error',
			message: expect.stringMatching(message) as string,
		});
	});
});

it('The credential test quotes the service once, and speaks of the fields of the credential', async () => {
	world.service.addFault({ kind: 'status', status: 400, body: 'No such tenant' });
	const { message } = await world.testCredential();
	expect(message.split('No such tenant')).toHaveLength(2);
	expect(message).toMatch(/Check 'Base URL' and 'API Key'/);
});

it.each([
	[
		new SsrfBlockedIpError('10.0.0.1'),
		/^n8n blocked the request to 127\.0\.0\.1:\d+\. The settings of this n8n forbid .*N8N_SSRF_PROTECTION_ENABLED\)\.$/,
	],
	[new Error('It broke.'), /^No request could be sent\. It broke\.$/],
])('The credential test says what to do when n8n sends nothing: %s', async (error, message) => {
	expect(await world.testCredential({}, world.n8n.actionNode, error)).toMatchObject({
		message: expect.stringMatching(message) as string,
	});
});

it('An item says so, too, when n8n blocks its request', async () => {
	const { context, run } = world.execution({ resource: 'webhook', operation: 'getAll' });
	const cause = new SsrfBlockedIpError('10.0.0.1');
	context.helpers.httpRequestWithAuthentication = async () => {
		throw Object.assign(new Error('It broke', { cause }), { code: 'ECONNREFUSED' });
	};
	await expect(run()).rejects.toMatchObject({
		message: expect.stringMatching(/^n8n blocked the request to 127\.0\.0\.1:\d+$/) as string,
		context: { itemIndex: 0 },
	});
});

it('The credential test and the list in the editor give up while another request with the key has to wait', async () => {
	world.service.addFault({ kind: 'status', status: 429, headers: { 'retry-after': '30' } });
	const waiting = world.run('getAll');
	await until(() => world.service.requests[0]?.status === 429);
	// The response has certainly arrived.
	await new Promise((resolve) => setTimeout(resolve, 500));
	const since = world.service.requests.length;
	const from = performance.now();
	const message = 'The service accepts no further request with this API key at the moment';
	await Promise.all([
		expect(world.testCredential()).resolves.toMatchObject({
			message: expect.stringContaining(message) as string,
		}),
		expect(world.searchWebhooks()).rejects.toMatchObject({ message, httpCode: null }),
	]);
	expect(performance.now() - from).toBeLessThan(13_000);
	expect(world.requests(since)).toEqual([]);
	expect(jsonOf(await waiting)).toEqual([]);
});

it('The list of webhooks in the editor gives up on a service that hangs before a proxy does', async () => {
	world.service.addFault({ kind: 'delay', delayMs: 600_000, times: 10 });
	const from = performance.now();
	await expect(world.searchWebhooks()).rejects.toThrow('did not respond in time');
	expect(performance.now() - from).toBeLessThan(40_000);
});

it('The credential test gives the same result in both nodes', async () => {
	for (const change of [{}, { apiKey: 'wrong' }]) {
		expect(await world.testCredential(change, world.n8n.triggerNode)).toEqual(
			await world.testCredential(change),
		);
	}
});

it('A credential that n8n cannot read fails the item with the message of n8n', async () => {
	const parameters = { resource: 'webhook', operation: 'getAll' };
	const { run, failCredentialReads } = world.execution(parameters);
	failCredentialReads(new Error('The database is away'));
	const failed = run();
	await expect(failed).rejects.toBeInstanceOf(NodeOperationError);
	await expect(failed).rejects.toMatchObject({
		message: 'The database is away',
		context: { itemIndex: 0 },
	});
	expect(world.requests()).toEqual([]);
});

it('A credential is read once for each execution, however many requests it sends', async () => {
	const parameters = {
		resource: 'webhook',
		operation: 'create',
		targetUrl: '=https://crm.test/{{ $json.number }}',
		event: '*',
	};
	const items = Array.from({ length: 10 }, (_, number) => ({ number }));
	const { run, credentialReads } = world.execution(parameters, { items });
	await run();
	expect(world.requests()).toHaveLength(10);
	expect(credentialReads()).toBe(1);
});
