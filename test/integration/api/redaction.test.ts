/**
 * No error contains an API key or a secret, whatever fails and whatever the service repeats of a request. What is quoted of
 * a body: `test/unit/api/body.test.ts`. The world is a local service and both nodes in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { EVERY_OPERATION, operationsIn } from '../support/operations';
import { UNKNOWN_HOST } from '../support/unknownHost';
import { useWorld } from '../support/world';

const world = useWorld();

const KEY = 'key-Zx81-confidential';
const SECRET = 'secret-Qv27-confidential';
const BASIC = Buffer.from(`:${KEY}`).toString('base64');
const ECHO = `Cannot use this with ${KEY} (${BASIC})`;

/** Everything that n8n stores of an error or could store: the message, the cause, the context, the stack. */
function allTexts(value: unknown, seen = new Set<unknown>()): string {
	if (typeof value === 'string') return value;
	if (typeof value !== 'object' || value === null || seen.has(value)) return '';
	seen.add(value);
	return Reflect.ownKeys(value)
		.map((key) => `${String(key)}: ${allTexts(Reflect.get(value, key), seen)}`)
		.join('\n');
}
const expectRedacted = (value: unknown) => {
	const text = allTexts(value);
	for (const confidential of [KEY, SECRET, BASIC]) expect(text).not.toContain(confidential);
};

const webhook = (operation: string, parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation,
	...parameters,
});
const CREATE = {
	targetUrl: 'https://crm.test/in',
	event: '*',
	additionalFields: { secret: SECRET },
};
const api = (body: string): INodeParameters => ({
	resource: 'api',
	operation: 'request',
	method: 'POST',
	path: '/hooks',
	body,
});

const OPERATIONS: Array<[string, INodeParameters]> = [
	['create', webhook('create', CREATE)],
	...['getAll', 'check'].map((name): [string, INodeParameters] => [name, webhook(name)]),
	...['get', 'delete', 'sendTest'].map((name): [string, INodeParameters] => [
		name,
		webhook(name, { webhookId: 'hoo_1' }),
	]),
	['deleteMany', webhook('deleteMany', { filters: { event: 'warmed' }, dryRun: false })],
	['rotateSecret', webhook('rotateSecret', { webhookId: 'hoo_1', secret: SECRET })],
	['get of the people schema', { resource: 'peopleSchema', operation: 'get' }],
	['compare', { resource: 'peopleSchema', operation: 'compare' }],
	['a request that creates a webhook', api(JSON.stringify({ secret: SECRET }))],
	['a request that creates several', api(JSON.stringify([{ options: { secret: SECRET } }]))],
	['a body that is no JSON', api(`{ secret: '${SECRET}' }`)],
	[
		'an invalid parameter',
		webhook('create', { ...CREATE, additionalFields: { secret: ` ${SECRET}` } }),
	],
	['a missing parameter', webhook('create', { ...CREATE, targetUrl: '' })],
];

it('Each operation is one of these', () => {
	expect(operationsIn(OPERATIONS.map(([, parameters]) => parameters))).toEqual(EVERY_OPERATION);
});

describe.each(OPERATIONS)(
	'An error of %s names the item, and contains nothing confidential',
	(_, parameters) => {
		it.each([
			['a refusal that repeats the request', { kind: 'status', status: 400, body: ECHO }],
			['a web page', { kind: 'status', status: 200, body: `<html>${ECHO}` }],
			['a cut connection', { kind: 'cut' }],
		] as const)('after %s', async (_name, fault) => {
			world.service.addApiKey(KEY);
			const bodyOfPost = 'body' in fault ? { body: `${fault.body} ${SECRET}` } : {};
			world.service.addFault({ ...fault, ...bodyOfPost, times: 50, match: { method: 'POST' } });
			world.service.addFault({ ...fault, times: 50 });
			const credential = { baseUrl: world.service.baseUrl, apiKey: KEY };
			const error = await world.failNode(parameters, { credential });
			expectRedacted(error);
			expect(error.context?.itemIndex).toBe(0);
			// All attempts were made: an execution that is stopped earlier has an error of its own.
			expect(error.message).not.toMatch(/stopped|cancelled/);
		});
	},
);

it.each(['http://127.0.0.1:9/api', `https://${UNKNOWN_HOST}/api`, 'nonsense'])(
	'An error contains nothing confidential when the base URL is %s',
	async (baseUrl) => {
		expectRedacted(await world.fail('create', CREATE, { credential: { baseUrl, apiKey: KEY } }));
	},
);

it('The result of the credential test contains nothing confidential', async () => {
	world.service.addFault({ kind: 'status', status: 400, body: ECHO });
	world.service.addApiKey(KEY);
	const result = await world.testCredential({ apiKey: KEY });
	expect(result.status).toBe('Error');
	expectRedacted(result);
});

it('An error still contains the node and its other parameters', async () => {
	world.service.addFault({ kind: 'status', status: 400, body: ECHO });
	const { targetUrl } = CREATE;
	const parameters = { operation: 'create', targetUrl, additionalFields: { secret: '(hidden)' } };
	expect(await world.fail('create', CREATE)).toMatchObject({
		node: { name: 'Outreach Service', parameters },
	});
});
