/**
 * Whatever stands in the place of the service or of a target URL: items claim only what was seen, and show no secret.
 * The world is a local service, the action node in one process of n8n, and servers at target URLs.
 */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { webhookSettingsSchema } from '../../../nodes/OutreachService/domain/webhook';
import { tries } from '../../propertyRuns';
import { byId, jsonOf } from '../support/action';
import { EVERY_OPERATION, operationsIn } from '../support/operations';
import { ETAG_OF_N8N, n8nWith, useTargets, type Asked, type Handler } from '../support/targets';
import { useWorld } from '../support/world';

const world = useWorld();
const targets = useTargets();

const SECRET = 'wJalr/XUtn"FEMI&K7';

/** The fields of the items of Create and Rotate Secret: those of §2.1, and their own. The API does not have `disabled` (D16). */
const SHOWN = [
	'_id',
	...Object.keys(webhookSettingsSchema.shape),
	'replacedWebhookId',
	'note',
].filter((field) => field !== 'disabled');

/** The ways in which a server may write the secret that it was sent. */
const written = fc.constantFrom(
	SECRET,
	`Bearer ${SECRET}`,
	JSON.stringify({ secret: SECRET }),
	JSON.stringify(JSON.stringify({ secret: SECRET })),
	`https://crm.test/in?secret=${encodeURIComponent(SECRET)}`,
	SECRET.replace(/&/g, '&amp;').replace(/"/g, '&quot;'),
	SECRET.toUpperCase(),
);

/** Any JSON with the secret somewhere in it, as a value or as a name. */
const echo = fc.letrec<{ node: unknown }>((tie) => ({
	node: fc.oneof(
		{ maxDepth: 4 },
		written,
		fc.jsonValue({ maxDepth: 1 }),
		fc.array(tie('node'), { maxLength: 3 }),
		fc.dictionary(fc.oneof(fc.string(), written), tie('node'), { maxKeys: 3 }),
	),
})).node;

const lettersOf = (value: unknown): string => JSON.stringify(value).replace(/[^a-z\d]/gi, '');
const TOLD = new RegExp(lettersOf(SECRET), 'i');

it('Whatever a server makes of the secret that it was sent, no item and no error shows it', async () => {
	world.service.setSwitches({ rateLimit: 'off' });
	const name = fc.oneof(fc.string(), written, fc.constantFrom(...SHOWN));
	const fields = fc.dictionary(name, echo, { maxKeys: 5 });
	const operation = fc.constantFrom('create', 'rotateSecret');
	const refusal = fc.option(fc.constantFrom(200, 400, 404, 500));
	const old = world.addWebhook({ type: 'warmed' });
	await fc.assert(
		fc.asyncProperty(operation, fields, refusal, async (chosen, echoed, status) => {
			const webhook = { ...echoed, _id: 'hoo_new', targetUrl: 'https://crm.test/in' };
			world.respondOnce('POST', webhook);
			const match = { method: 'DELETE' };
			const body = JSON.stringify(echoed).slice(0, 900);
			world.service.addFault({ kind: 'status', status: status ?? 204, body, times: 100, match });
			const parameters = { ...webhook, event: '*', secret: SECRET, webhookId: byId(old._id) };
			const [item] = jsonOf(
				await world.run(
					chosen,
					{ ...parameters, additionalFields: { secret: SECRET } },
					{ continueOnFail: true },
				),
			);
			world.service.clearFaults();
			const { secret, ...others } = item ?? {};
			expect(secret).toBe(chosen === 'create' ? undefined : SECRET);
			expect(others).toMatchObject({ _id: 'hoo_new', targetUrl: webhook.targetUrl });
			expect(SHOWN).toEqual(expect.arrayContaining(Object.keys(others)));
			expect(lettersOf(others)).not.toMatch(TOLD);
		}),
		{ numRuns: tries(15) },
	);
});

/** The headers that a server may send with `OPTIONS`, those of n8n among them. */
const headers = fc.record(
	{
		etag: fc.constantFrom(ETAG_OF_N8N, ETAG_OF_N8N.replace('W/', ''), 'W/"0-a"'),
		'access-control-allow-methods': fc.constantFrom('OPTIONS', 'OPTIONS,GET', 'POST', '*', ''),
		'access-control-allow-origin': fc.constantFrom('*', 'https://crm.test'),
		allow: fc.constantFrom('OPTIONS', 'GET, HEAD', 'POST'),
		vary: fc.constant('Origin'),
	},
	{ requiredKeys: [] },
);
const OTHER_PATH =
	'{"code":404,"message":"The requested webhook \\"GET other\\" is not registered."}';
const LIKE_N8N = { etag: ETAG_OF_N8N };
const response = fc.oneof(
	fc.tuple(
		fc.constantFrom(200, 204, 301, 401, 404, 405, 500),
		headers,
		fc.constantFrom('', '{}', 'Not Found', OTHER_PATH),
	),
	fc.constantFrom<[number, Record<string, string>, string]>(
		[204, LIKE_N8N, ''],
		[204, { ...LIKE_N8N, 'access-control-allow-methods': 'OPTIONS' }, ''],
		[404, {}, OTHER_PATH],
	),
);

it('Check Many calls nothing gone but what n8n, or status 410, says is gone', async () => {
	let handle: Handler = () => undefined;
	const { url } = await targets.start((given, asked) => handle(given, asked));
	world.addWebhook({ targetUrl: `${url}/in` });
	await fc.assert(
		fc.asyncProperty(response, response, response, async (withOrigin, without, toOthers) => {
			handle = (given, { method, headers: { origin } }: Asked) => {
				const ofOptions = origin === undefined ? without : withOrigin;
				const [status, sent, body] = method === 'OPTIONS' ? ofOptions : toOthers;
				given.writeHead(status, sent).end(body);
			};
			const [item] = jsonOf(await world.run('check'));
			expect(item?.target).not.toBe('gone');
			expect(item?.target).not.toBe('unreachable');
		}),
		{ numRuns: tries(23) },
	);
	handle = n8nWith();
	expect(jsonOf(await world.run('check'))).toMatchObject([{ target: 'gone' }]);
});

it('A webhook with a field that is nested too deeply to be searched is created, and shown without it', async () => {
	const webhook = { _id: 'hoo_1', targetUrl: 'https://crm.test/in' };
	const deep = '['.repeat(20_000) + ']'.repeat(20_000);
	const body = `{"deep":${deep},${JSON.stringify(webhook).slice(1)}`;
	world.service.addFault({ kind: 'status', status: 201, body, match: { method: 'POST' } });
	const additionalFields = { secret: SECRET };
	const parameters = { targetUrl: webhook.targetUrl, event: '*', additionalFields };
	expect(jsonOf(await world.run('create', parameters))).toEqual([webhook]);
});

it.each(['getaddrinfo ENOTFOUND crm.example.com', 'ResourceExists', 'createPermission'])(
	'A response with "%s", which n8n would replace, is quoted as it is',
	async (body) => {
		world.service.addFault({ kind: 'status', status: 422, body });
		expect((await world.fail('getAll')).message).toContain(body);
	},
);

it.each(['o', 'https://o.test/'])(
	'A secret that is part of other values takes nothing out of the item but itself: %s',
	async (secret) => {
		const settings = { type: 'hooked', campaignId: 'cam_o', isFirst: true, toolLinkId: 7 };
		const webhook = { _id: 'hoo_1', targetUrl: 'https://o.test/', ...settings };
		world.respondOnce('POST', { ...webhook, echo: { a: secret } });
		const additionalFields = { secret, campaignId: 'cam_o', isFirst: true };
		const parameters = { targetUrl: webhook.targetUrl, event: 'hooked', additionalFields };
		expect(jsonOf(await world.run('create', parameters))).toEqual([webhook]);
	},
);

it('Whatever the service responds with, every operation ends, and shows nobody the key', async () => {
	world.service.setSwitches({ rateLimit: 'off' });
	const apiKey = 'key-Zx81+/confidential==';
	world.service.addApiKey(apiKey);
	const basic = Buffer.from(`:${apiKey}`).toString('base64');
	const nested = fc
		.constantFrom<[string, string]>(['[', ']'], ['{"data":', '}'], ['{"items":', '}'])
		.map(([open, close]) => `${open.repeat(20_000)}1${close.repeat(20_000)}`);
	const part = fc.constantFrom(
		'{},',
		'"a":{"$ref":"#"},',
		`{"_id":"hoo_1","targetUrl":"","a":"${basic}"},`,
		'&#x41;',
		'%41',
		'\\u0041',
		'\ud83d\ude00',
		'<!--',
		' ',
		`${basic} `,
		`${apiKey} `,
		'\u202e',
	);
	const long = fc
		.tuple(part, fc.constantFrom('', '[', '{"properties":{'), fc.constantFrom('', '{}]', '"b":1}}'))
		.chain(([one, before, after]) =>
			fc.nat(Math.floor(300_000 / one.length)).map((count) => before + one.repeat(count) + after),
		);
	const body = fc.oneof(long, nested, fc.json(), fc.string());
	const status = fc.constantFrom(200, 201, 204, 302, 400, 401, 404, 409, 422, 500, 503);
	const operations: INodeParameters[] = [
		...['create', 'getAll', 'get', 'delete', 'rotateSecret', 'check', 'deleteMany', 'sendTest'].map(
			(name) => ({
				resource: 'webhook',
				operation: name,
			}),
		),
		...['raw', 'fields', 'jsonSchema'].map((output) => ({
			resource: 'peopleSchema',
			operation: 'get',
			output,
		})),
		{ resource: 'peopleSchema', operation: 'compare' },
		{ resource: 'api', operation: 'request', path: '/leads' },
	];
	expect(operationsIn(operations)).toEqual(EVERY_OPERATION);
	const operation = fc.constantFrom(...operations);
	const all = {
		webhookId: 'hoo_1',
		targetUrl: 'https://crm.test/in',
		event: '*',
		filters: { targetUrl: 'crm.test' },
	};
	await fc.assert(
		fc.asyncProperty(operation, status, body, fc.boolean(), async (chosen, code, text, gzip) => {
			world.service.clearFaults();
			world.service.addFault({ kind: 'status', status: code, body: text, gzip, times: 20 });
			const [item] = jsonOf(
				await world.runNode(
					{ ...all, ...chosen },
					{ credential: { baseUrl: world.service.baseUrl, apiKey }, continueOnFail: true },
				),
			);
			const { error } = item ?? {};
			expect(JSON.stringify({ error })).not.toContain(apiKey);
			expect(JSON.stringify({ error })).not.toContain(basic);
			// What is nested thousands of levels deep overflows the stack of JSON.stringify; it holds no key here.
			if (error === undefined && !/[\]}]{1000}/.test(text))
				expect(JSON.stringify(item ?? {})).not.toContain(basic);
		}),
		{ numRuns: tries(23) },
	);
});
