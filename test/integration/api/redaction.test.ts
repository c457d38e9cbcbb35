/**
 * No error, log or item contains an API key or a secret, whatever fails and whatever the service repeats of a request. What
 * is quoted of a body, and where a request has secrets: `test/unit/api/body.test.ts`. The world is a local service and both
 * nodes in one process of n8n.
 */
import { inspect } from 'node:util';

import type { INodeParameters } from 'n8n-workflow';

import { EVERY_OPERATION } from '../support/operations';
import { UNKNOWN_HOST } from '../support/unknownHost';
import { useWorld } from '../support/world';

const world = useWorld();

const KEY = 'key-Zx81-confidential';
const SECRET = 'secret-Qv27-confidential';
const BASIC = Buffer.from(`:${KEY}`).toString('base64');
const ECHO = `Cannot use this with ${KEY} (${BASIC})`;

/** Everything that n8n stores of an error or could store: the message, the cause, the context, the stack. */
function expectRedacted(value: unknown): void {
	const text = inspect(value, { depth: 20, showHidden: true, maxStringLength: Infinity });
	for (const confidential of [KEY, SECRET, BASIC]) expect(text).not.toContain(confidential);
}

const WITH_SECRETS = {
	secret: SECRET,
	additionalFields: { secret: SECRET },
	body: JSON.stringify([{ options: { secret: SECRET } }]),
};
const RUNS = EVERY_OPERATION.map(({ operation, parameters }): [string, INodeParameters] => [
	operation,
	{ ...parameters, ...WITH_SECRETS },
]);
const parametersOf = (operation: string, more: INodeParameters = {}): INodeParameters => ({
	...RUNS.find(([name]) => name === operation)?.[1],
	...more,
});

describe.each<[string, INodeParameters]>([
	...RUNS,
	['a body that is no JSON', parametersOf('api: request', { body: `{ secret: '${SECRET}' }` })],
	[
		'an invalid secret',
		parametersOf('webhook: create', { additionalFields: { secret: ` ${SECRET}` } }),
	],
])('An error of %s names the item, and contains nothing confidential', (_, parameters) => {
	it.each([
		['a refusal that repeats the request', { kind: 'status', status: 400, body: ECHO }],
		['a web page', { kind: 'status', status: 200, body: `<html>${ECHO}` }],
		['a cut connection', { kind: 'cut' }],
	] as const)('after %s', async (_name, fault) => {
		world.service.addApiKey(KEY);
		const bodyOfPost = 'body' in fault ? { body: `${fault.body} ${SECRET}` } : {};
		world.service.addFault({ ...fault, ...bodyOfPost, times: 50, match: { method: 'POST' } });
		world.service.addFault({ ...fault, times: 50 });
		const warn = world.spyOnWarnings();
		const credential = { baseUrl: world.service.baseUrl, apiKey: KEY };
		const error = await world.failNode(parameters, { credential });
		expectRedacted([error, warn.mock.calls]);
		expect(error.context?.itemIndex).toBe(0);
		// All attempts were made: an execution that is stopped earlier has an error of its own.
		expect(error.message).not.toMatch(/stopped|cancelled/);
	});
});

it.each(['http://127.0.0.1:9/api', `https://${UNKNOWN_HOST}/api`, 'nonsense'])(
	'An error contains nothing confidential when the base URL is %s',
	async (baseUrl) => {
		const credential = { baseUrl, apiKey: KEY };
		expectRedacted(await world.failNode(parametersOf('webhook: create'), { credential }));
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
	expect(await world.failNode(parametersOf('webhook: create'))).toMatchObject({
		node: {
			name: 'Outreach Service',
			parameters: { event: 'warmed', additionalFields: { secret: '(hidden)' } },
		},
	});
});

it('No item shows a secret that the service repeats', async () => {
	const echoed = { _id: 'hoo_1', targetUrl: 'https://crm.test/in', type: 'warmed', secret: SECRET };
	world.respondOnce('POST', echoed);
	world.respondOnce('DELETE', echoed);
	const list = { kind: 'status', status: 200, body: JSON.stringify([echoed]) } as const;
	world.service.addFault({ ...list, match: { method: 'GET' }, times: 5 });
	for (const operation of ['create', 'getAll', 'check', 'get', 'delete']) {
		const [item] = await world.runNode(parametersOf(`webhook: ${operation}`));
		expect(item?.json).toMatchObject({ _id: 'hoo_1' });
		expectRedacted(item);
	}
});
