/** No key and no secret in any error, whatever way it fails and whatever the service repeats of what it got. */
import { actionExecution, failAction } from '../support/action';
import { actionNode } from '../support/n8n';
import { useWorld } from '../support/world';

const world = useWorld();

const KEY = 'key-Zx81-confidential';
const SECRET = 'secret-Qv27-confidential';
const BASIC = Buffer.from(`:${KEY}`).toString('base64');
const ECHO = `Cannot use this with ${KEY} (${BASIC})`;
const CREATE = {
	operation: 'create',
	targetUrl: 'https://crm.test/in',
	event: '*',
	additionalFields: { secret: SECRET },
};

/** Everything that n8n stores of an error, and what it might: the cause, the context, the stack. */
function everything(value: unknown, seen = new Set<unknown>()): string {
	if (typeof value === 'string') return value;
	if (typeof value !== 'object' || value === null || seen.has(value)) return '';
	seen.add(value);
	return Reflect.ownKeys(value)
		.map((key) => `${String(key)}: ${everything(Reflect.get(value, key), seen)}`)
		.join('\n');
}

const expectClean = (value: unknown) => {
	const shown = everything(value);
	for (const confidential of [KEY, SECRET, BASIC]) expect(shown).not.toContain(confidential);
};

const LOCKED: Array<[string, object]> = [
	['create', CREATE],
	['getAll', { operation: 'getAll' }],
	['delete', { operation: 'delete', webhookId: 'hoo_1' }],
	['rotateSecret', { operation: 'rotateSecret', webhookId: 'hoo_1', secret: SECRET }],
	['bad input', { ...CREATE, additionalFields: { secret: ` ${SECRET}` } }],
	['missing input', { ...CREATE, targetUrl: '' }],
];

describe.each(LOCKED)('An error of %s holds nothing confidential', (_, parameters) => {
	it.each([
		['a refusal that repeats the request', { kind: 'status', status: 400, body: ECHO }],
		['a refused key', { kind: 'status', status: 401, body: ECHO }],
		['a conflict', { kind: 'status', status: 409, body: ECHO }],
		['a page', { kind: 'status', status: 200, body: `<html>${ECHO}` }],
		['a cut connection', { kind: 'cut' }],
		['a redirect', { kind: 'status', status: 302, headers: { location: 'http://x.test' } }],
	] as const)('after %s', async (_name, fault) => {
		world.service.addApiKey(KEY);
		const toCreate = 'body' in fault ? { body: `${fault.body} ${SECRET}` } : {};
		world.service.addFault({ ...fault, ...toCreate, times: 50, match: { method: 'POST' } });
		world.service.addFault({ ...fault, times: 50 });
		expectClean(
			await failAction(
				{ baseUrl: world.service.baseUrl, apiKey: KEY },
				{ resource: 'webhook', ...parameters },
				{ signal: AbortSignal.timeout(1500) },
			),
		);
	});
});

it.each(['http://127.0.0.1:9/api', 'https://outreach.invalid/api', 'nonsense'])(
	'holds nothing confidential when the address is %s',
	async (baseUrl) => {
		expectClean(await failAction({ baseUrl, apiKey: KEY }, { resource: 'webhook', ...CREATE }));
	},
	20_000,
);

it('is no part of a test of the credential either', async () => {
	world.service.addFault({ kind: 'status', status: 400, body: ECHO });
	const { context } = world.execution();
	const data = { baseUrl: world.service.baseUrl, apiKey: KEY };
	world.service.addApiKey(KEY);
	const result = await actionNode.methods.credentialTest.outreachServiceApiTest.call(
		{ helpers: context.helpers } as never,
		{
			id: '1',
			name: '',
			type: 'outreachServiceApi',
			data,
		},
	);
	expect(result.status).toBe('Error');
	expectClean(result);
});

it('An error still says which node it is of, and with which other parameters', async () => {
	world.service.addFault({ kind: 'status', status: 400, body: ECHO });
	const error = await world.failNode({ resource: 'webhook', ...CREATE });
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

it('is in no item of a create', async () => {
	const items = await world.run('create', { ...CREATE });
	expectClean(items);
});
