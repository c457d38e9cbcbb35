/**
 * No error contains an API key or a secret, whatever fails and whatever the service repeats of a request. The world is
 * a local service and both nodes in one process of n8n.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { responseError } from '../../../nodes/OutreachService/api/response';

import { EVERY_OPERATION, operationsIn } from '../support/operations';
import { useWorld } from '../support/world';
import { UNKNOWN_HOST } from '../support/unknownHost';

const world = useWorld();

const KEY = 'key-Zx81-confidential';
const SECRET = 'secret-Qv27-confidential';
const BASIC = Buffer.from(`:${KEY}`).toString('base64');
const ECHO = `Cannot use this with ${KEY} (${BASIC})`;
const CREATE = {
	resource: 'webhook',
	operation: 'create',
	targetUrl: 'https://crm.test/in',
	event: '*',
	additionalFields: { secret: SECRET },
};

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

const ofWebhooks = (operation: string, parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'webhook',
	operation,
	...parameters,
});

const OPERATIONS: Array<[string, INodeParameters]> = [
	['create', CREATE],
	...['getAll', 'check'].map((name): [string, INodeParameters] => [name, ofWebhooks(name)]),
	...['get', 'delete', 'sendTest'].map((name): [string, INodeParameters] => [
		name,
		ofWebhooks(name, { webhookId: 'hoo_1' }),
	]),
	['deleteMany', ofWebhooks('deleteMany', { filters: { event: 'warmed' }, dryRun: false })],
	['rotateSecret', ofWebhooks('rotateSecret', { webhookId: 'hoo_1', secret: SECRET })],
	['get of the people schema', { resource: 'peopleSchema', operation: 'get' }],
	['compare', { resource: 'peopleSchema', operation: 'compare' }],
	['request', { resource: 'api', operation: 'request', path: '/leads' }],
	[
		'a request that creates a webhook',
		{
			resource: 'api',
			operation: 'request',
			method: 'POST',
			path: '/hooks',
			body: JSON.stringify({ targetUrl: CREATE.targetUrl, secret: SECRET }),
		},
	],
	[
		'a request that creates several',
		{
			resource: 'api',
			operation: 'request',
			method: 'POST',
			path: '/hooks/batch',
			body: JSON.stringify([{ targetUrl: CREATE.targetUrl, options: { secret: SECRET } }]),
		},
	],
	[
		'a body that is no JSON',
		{
			resource: 'api',
			operation: 'request',
			method: 'POST',
			path: '/hooks',
			body: `{ secret: '${SECRET}' }`,
		},
	],
	['an invalid parameter', { ...CREATE, additionalFields: { secret: ` ${SECRET}` } }],
	['a missing parameter', { ...CREATE, targetUrl: '' }],
];

it('Each operation is one of these', () => {
	expect(operationsIn(OPERATIONS.map(([, parameters]) => parameters))).toEqual(EVERY_OPERATION);
});

describe.each(OPERATIONS)('An error of %s contains nothing confidential', (_, parameters) => {
	it.each([
		['a refusal that repeats the request', { kind: 'status', status: 400, body: ECHO }],
		['a refused key', { kind: 'status', status: 401, body: ECHO }],
		['a conflict', { kind: 'status', status: 409, body: ECHO }],
		['a web page', { kind: 'status', status: 200, body: `<html>${ECHO}` }],
		['a cut connection', { kind: 'cut' }],
		['a redirect', { kind: 'status', status: 302, headers: { location: 'http://x.test' } }],
	] as const)('after %s', async (_name, fault) => {
		world.service.addApiKey(KEY);
		const bodyOfPost = 'body' in fault ? { body: `${fault.body} ${SECRET}` } : {};
		world.service.addFault({ ...fault, ...bodyOfPost, times: 50, match: { method: 'POST' } });
		world.service.addFault({ ...fault, times: 50 });
		const error = await world.failNode(parameters, {
			credential: { baseUrl: world.service.baseUrl, apiKey: KEY },
		});
		expectRedacted(error);
		// All attempts were made: an execution that is stopped earlier has an error of its own.
		expect(error.message).not.toMatch(/stopped|cancelled/);
	});
});

it('An error quotes no six characters of the API key or a secret in a row, wherever they are in it', () => {
	const anyStatus = fc.constantFrom(400, 401, 409, 418, 429, 500);
	const part = (value: string) =>
		fc
			.nat(value.length - 6)
			.chain((start) =>
				fc
					.integer({ min: 6, max: value.length - start })
					.map((length) => value.slice(start, start + length)),
			);
	fc.assert(
		fc.property(anyStatus, fc.oneof(part(KEY), part(SECRET)), (status, repeated) => {
			const body = `Invalid: ${repeated}`;
			const response = { status, text: body, isTruncated: false, isText: true, headers: {} };
			const confidential = [KEY, SECRET];
			const { message, description } = responseError(response, 'api.test', { confidential });
			const plain = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
			fc.pre(plain(repeated).length >= 6);
			expect(message + description).not.toContain(body);
		}),
	);
});

it.each([
	['70 % of the API key', KEY.slice(0, Math.ceil(KEY.length * 0.7)), SECRET],
	['70 % of a secret', SECRET.slice(0, Math.ceil(SECRET.length * 0.7)), SECRET],
	['a secret without Latin letters in upper case', 'ОЧЕНЬДЛИННЫЙПАРОЛЬ', 'оченьдлинныйпароль'],
])('An error does not quote %s', async (_, repeated, secret) => {
	world.service.addApiKey(KEY);
	const body = `Cannot use ${repeated}`;
	world.service.addFault({ kind: 'status', status: 400, body, match: { method: 'POST' } });
	const parameters = { ...CREATE, additionalFields: { secret } };
	const credential = { baseUrl: world.service.baseUrl, apiKey: KEY };
	const error = await world.fail('create', parameters, { credential });
	expect(error.message).toBe('The service refused the request with status 400');
});

it.each([
	['a webhook', { targetUrl: CREATE.targetUrl, secret: SECRET }],
	['a list of webhooks', [{ targetUrl: CREATE.targetUrl, secret: SECRET }]],
	['an object around it', { hook: { options: { secret: SECRET } } }],
	['another name', { Secret: SECRET }],
	['a longer name', { clientSecret: SECRET }],
	['a list', { secrets: [SECRET] }],
])('An error of an API request does not quote the secret in its body: %s', async (_, body) => {
	const request = { resource: 'api', operation: 'request', method: 'POST', path: '/hooks' };
	world.service.addFault({ kind: 'status', status: 400, body: `Cannot use ${SECRET}` });
	expectRedacted(await world.failNode({ ...request, body: JSON.stringify(body) }));
});

it('An error of an API request does not quote the secret in its query', async () => {
	const parameters = { resource: 'api', operation: 'request', path: '/leads' };
	world.service.addFault({ kind: 'status', status: 400, body: `Cannot use ${SECRET}` });
	const query = { parameters: [{ name: 'client_secret', value: SECRET }] };
	const error = await world.failNode({ ...parameters, queryParameters: query });
	expect(`${error.message} ${error.description}`).not.toContain(SECRET);
});

it.each(['http://127.0.0.1:9/api', `https://${UNKNOWN_HOST}/api`, 'nonsense'])(
	'An error contains nothing confidential when the base URL is %s',
	async (baseUrl) => {
		expectRedacted(await world.fail('create', CREATE, { credential: { baseUrl, apiKey: KEY } }));
	},
	20_000,
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
	const error = await world.fail('create', CREATE);
	expect(error).toMatchObject({
		node: {
			name: 'Outreach Service',
			parameters: {
				operation: 'create',
				targetUrl: CREATE.targetUrl,
				additionalFields: { secret: '(hidden)' },
			},
		},
	});
});
