/** The test of a credential, and how often one is read. */
import { NodeOperationError } from 'n8n-workflow';

import { actionNode, triggerNode } from '../support/n8n';
import { actionExecution, runAction } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const REFUSAL = { kind: 'status', status: 429, headers: { 'retry-after': '0' } } as const;

async function test(
	change: { baseUrl?: string; apiKey?: string } = {},
	node: typeof actionNode | typeof triggerNode = actionNode,
) {
	const { baseUrl, apiKey } = world.service;
	const { context } = world.execution();
	return await node.methods.credentialTest.outreachServiceApiTest.call(
		// What n8n gives to such a test: the helpers, of which it uses one.
		{ helpers: context.helpers } as never,
		{ id: '1', name: '', type: 'outreachServiceApi', data: { baseUrl, apiKey, ...change } },
	);
}

describe('The test of a credential', () => {
	it('accepts a key that may list webhooks, with one request', async () => {
		expect(await test()).toEqual({ status: 'OK', message: 'The service accepted the API key' });
		expect(world.requests()).toEqual(['GET /hooks']);
	});

	it('accepts a service that answers an empty list with "Webhook not found"', async () => {
		world.service.setSwitches({ emptyList: 'notFound' });
		expect(await test()).toMatchObject({ status: 'OK' });
	});

	it('waits for its turn while workflows use up the limit, and says nothing against the key', async () => {
		world.service.addFault({ ...REFUSAL, times: 2 });
		expect(await test()).toMatchObject({ status: 'OK' });
		expect(world.requests()).toHaveLength(3);
		const many = { resource: 'webhook', operation: 'getAll' };
		await Promise.all(Array.from({ length: 20 }, async () => await world.runNode(many)));
		expect(await test()).toMatchObject({ status: 'OK' });
		expect(world.service.stats().refused).toBe(0);
	});

	it('does not keep anybody waiting who is told to come back in half a minute', async () => {
		world.service.addFault({ ...REFUSAL, headers: { 'retry-after': '30' } });
		expect(await test()).toMatchObject({ message: expect.stringContaining('busy') as string });
		expect(world.requests()).toHaveLength(1);
	});

	it.each([
		['a wrong key', { apiKey: 'wrong' }, /^The service did not accept the API key\. It responded/],
		['no key', { apiKey: ' ' }, /^The 'API Key' of the credential cannot be used\. It is empty/],
		['no address', { baseUrl: 'x' }, /^The 'Base URL' of the credential cannot be used\. It must/],
		[
			'a closed port',
			{ baseUrl: 'http://127.0.0.1:9' },
			/^Nothing is listening at 127\.0\.0\.1:9\. /,
		],
		['an unknown name', { baseUrl: 'https://a.invalid' }, /^The host a\.invalid could not be/],
	])('says what is wrong with %s', async (_, change, message) => {
		expect(await test(change)).toEqual({
			status: 'Error',
			message: expect.stringMatching(message) as string,
		});
	});

	it.each([
		['a web page', { kind: 'html' }, /does not look like the service's API/],
		['an object', { kind: 'status', status: 200, body: '{}' }, /does not look like/],
		['Bad team', { kind: 'status', status: 400, body: 'Bad team' }, /does not know the team/],
		['lasting refusals', { ...REFUSAL, times: 3 }, /is busy .* Test again in a few seconds/],
		['a redirect', { kind: 'status', status: 301, headers: { location: '/' } }, /redirects/],
		[
			'a list with a status that is none',
			{ kind: 'status', status: 418, body: '[]' },
			/status 418/,
		],
		['a cut connection', { kind: 'cut' }, /^The connection to 127\.0\.0\.1:\d+ was cut off\. /],
	] as const)('does not accept %s', async (_, fault, message) => {
		world.service.addFault(fault);
		expect(await test()).toEqual({
			status: 'Error',
			message: expect.stringMatching(message) as string,
		});
	});
});

it('is tested in the same way from either node', async () => {
	for (const change of [{}, { apiKey: 'wrong' }]) {
		expect(await test(change, triggerNode)).toEqual(await test(change));
	}
});

it('that n8n cannot hand out is an error of the item, in the words of n8n', async () => {
	const parameters = { resource: 'webhook', operation: 'getAll' };
	const { context, workflow, failCredentialReads } = world.execution(parameters);
	failCredentialReads(new Error('The database is away'));
	await workflow.expression.acquireIsolate();
	const failed = actionNode.execute.call(context);
	await expect(failed).rejects.toBeInstanceOf(NodeOperationError);
	await expect(failed).rejects.toMatchObject({
		message: 'The database is away',
		context: { itemIndex: 0 },
	});
	await workflow.expression.releaseIsolate();
	expect(world.requests()).toEqual([]);
});

it('is read once for an execution, however many requests that has', async () => {
	const parameters = { resource: 'webhook', operation: 'getAll' };
	const items = Array.from({ length: 10 }, () => ({}));
	const { context, workflow, credentialReads } = world.execution(parameters, { items });
	await workflow.expression.acquireIsolate();
	await actionNode.execute.call(context);
	await workflow.expression.releaseIsolate();
	expect(world.requests()).toHaveLength(10);
	expect(credentialReads()).toBe(1);
});
