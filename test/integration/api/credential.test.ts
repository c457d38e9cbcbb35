/**
 * The credential: its test, the list in the editor, and how often it is read. What each response means:
 * `test/unit/api/response.test.ts`. The world is a local service and both nodes in one process of n8n.
 */
import { SsrfBlockedIpError } from '@n8n/backend-network';
import { NodeOperationError } from 'n8n-workflow';

import { textLike } from '../support/matchers';
import { UNKNOWN_HOST } from '../support/unknownHost';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const BUSY = 'The service accepts no further request with this API key at the moment';
const waitHalfAMinute = { kind: 'status', status: 429, headers: { 'retry-after': '30' } } as const;

describe('The credential test', () => {
	it('accepts a key that may list webhooks, with one request, in both nodes', async () => {
		for (const node of [world.n8n.actionNode, world.n8n.triggerNode]) {
			expect(await world.testCredential({}, node)).toEqual({
				status: 'OK',
				message: 'The service accepted the API key',
			});
		}
		expect(world.requests()).toEqual(['GET /hooks', 'GET /hooks']);
	});

	it('waits while workflows use up the rate limit, and accepts the key', async () => {
		const headers = { 'retry-after': '0' };
		world.service.addFault({ kind: 'status', status: 429, headers, times: 2 });
		expect(await world.testCredential()).toMatchObject({ status: 'OK' });
		await Promise.all(Array.from({ length: 20 }, async () => await world.run('getAll')));
		expect(await world.testCredential()).toMatchObject({ status: 'OK' });
		expect(world.service.refused).toEqual([]);
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
		const result = await world.testCredential(change);
		expect(result).toEqual({ status: 'Error', message: textLike(message) });
	});

	it.each([
		[waitHalfAMinute, /^The service accepts no further request .* Try again in half a minute/],
		[{ kind: 'status', status: 301, headers: { location: '/' } }, /does not look .* It redirects/],
		[{ kind: 'status', status: 418, body: '[]' }, /418.* Check 'Base URL' and 'API Key'/],
		[{ kind: 'drip', everyMs: 1000 }, / did not respond in time\. /],
		[{ kind: 'status', status: 500, times: 9 }, /status 500/],
	] as const)('fails at once, because the user can try again: %j', async (fault, message) => {
		world.addWebhook();
		world.service.addFault(fault);
		const result = await world.testCredential();
		expect(result).toEqual({ status: 'Error', message: textLike(message) });
		expect(world.requests()).toHaveLength(1);
	});

	it.each([
		[
			new SsrfBlockedIpError('10.0.0.1'),
			/^n8n blocked the request to 127\.0\.0\.1:\d+\. .*N8N_SSRF_PROTECTION_ENABLED\)\.$/,
		],
		[new Error('It broke.'), /^No request could be sent\. It broke\.$/],
	])('says what to do when n8n sends nothing: %s', async (error, message) => {
		const { message: shown } = await world.testCredential({}, world.n8n.actionNode, error);
		expect(shown).toMatch(message);
	});
});

it('The credential test and the list in the editor give up while another request with the key has to wait', async () => {
	world.service.addFault(waitHalfAMinute);
	const waiting = world.run('getAll');
	await until(() => world.service.requests[0]?.status === 429);
	// The response has certainly arrived.
	await new Promise((resolve) => setTimeout(resolve, 500));
	await Promise.all([
		expect(world.testCredential()).resolves.toMatchObject({ message: textLike(RegExp(BUSY)) }),
		expect(world.searchWebhooks()).rejects.toMatchObject({ message: BUSY, httpCode: null }),
	]);
	expect(world.requests()).toHaveLength(1);
	await waiting;
});

it('The list of webhooks in the editor gives up on a service that hangs before a proxy does', async () => {
	world.service.addFault({ kind: 'delay', delayMs: 600_000, times: 10 });
	const from = performance.now();
	await expect(world.searchWebhooks()).rejects.toThrow('did not respond in time');
	expect(performance.now() - from).toBeLessThan(40_000);
});

it('A credential that n8n cannot read fails the item with the message of n8n', async () => {
	const { run, failCredentialReads } = world.execution({});
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
	const create = { operation: 'create', targetUrl: '=https://crm.test/{{ $json.n }}', event: '*' };
	const items = Array.from({ length: 10 }, (_, n) => ({ n }));
	const { run, credentialReads } = world.execution(create, { items });
	await run();
	expect(world.requests()).toHaveLength(10);
	expect(credentialReads()).toBe(1);
});
