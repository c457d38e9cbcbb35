/**
 * Check Many: what it says of each kind of target URL, and that asking starts nothing there. The world is a local
 * service, the action node in one process of n8n, and servers at target URLs.
 */
import { SsrfBlockedIpError } from '@n8n/backend-network';

import { useFineClock } from '../../clock';
import { jsonOf } from '../support/action';
import {
	ETAG_OF_N8N,
	n8nWith,
	respondWith,
	unregistered,
	useTargets,
	type Handler,
} from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

useFineClock();
const world = useWorld();
const targets = useTargets();

const checked = async (parameters = {}, options = {}) =>
	jsonOf(await world.run('check', parameters, options));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What is said of the webhook with this target URL, when it is the only one. */
async function verdictOn(targetUrl: string) {
	world.addWebhook({ targetUrl });
	const [item] = await checked();
	return [item?.target, item?.targetDetail];
}

const LISTED = 'n8n has a webhook there.';
const ACCEPTS = 'The host says that it accepts POST there.';
const GONE =
	'n8n has no webhook there: its workflow is not active, was deleted or has another path now, or the test run is over.';
const silent = (status: number) =>
	`The host does not say whether it accepts events there (status ${status}).`;
const ALLOW = 'access-control-allow-methods';

const notFound = respondWith(404, {}, unregistered('a/webhook', 'Click …'));
const corsEverywhere = respondWith(204, { [ALLOW]: 'OPTIONS,GET,POST', etag: 'W/"0-a"' });
const expressWithOptionsAlone = respondWith(204, { [ALLOW]: 'OPTIONS', etag: ETAG_OF_N8N });
const redirectToItself: Handler = (response, { url }) =>
	response.writeHead(307, { location: url }).end();
const endless =
	(status: number, headers = {}): Handler =>
	(response) =>
		response.writeHead(status, headers).write('…');

const RESPONSES: Array<[kind: string, handle: Handler, target: string, detail: string]> = [
	['a live webhook of n8n', n8nWith('POST'), 'live', LISTED],
	['a path that n8n does not have', n8nWith(), 'gone', GONE],
	['a webhook of n8n that takes no POST', n8nWith('GET', 'PUT'), 'unknown', silent(204)],
	['a test URL of n8n at which nobody listens', notFound, 'gone', GONE],
	[
		'a proxy that quotes n8n’s words for another path',
		respondWith(404, {}, unregistered('b/webhook')),
		'unknown',
		silent(404),
	],
	[
		'another server made with Express that lists OPTIONS alone, and only for a request with an origin',
		(response, asked) => {
			if (asked.method === 'OPTIONS') n8nWith()(response, asked);
			else respondWith(404, {}, '{"message":"Not Found"}')(response, asked);
		},
		'unknown',
		silent(204),
	],
	['an n8n that starts', respondWith(200, {}, 'n8n is starting up'), 'unknown', silent(200)],
	['a server that accepts POST', respondWith(200, { allow: 'OPTIONS, POST' }), 'live', ACCEPTS],
	['one that allows CORS everywhere', corsEverywhere, 'unknown', silent(204)],
	['the same with Express', expressWithOptionsAlone, 'unknown', silent(204)],
	['one that says nothing with 204', respondWith(204), 'unknown', silent(204)],
	['one that accepts GET', respondWith(200, { allow: 'GET' }), 'unknown', silent(200)],
	['404', respondWith(404, {}, 'Not Found'), 'unknown', silent(404)],
	[
		"404 with n8n's words for a path that cannot be one",
		respondWith(
			404,
			{},
			String.raw`{"code":404,"message":"The requested webhook \"\ud800\" is not registered."}`,
		),
		'unknown',
		silent(404),
	],
	['405 with POST in Allow', respondWith(405, { allow: 'POST' }), 'live', ACCEPTS],
	['405', respondWith(405), 'unknown', silent(405)],
	['410', respondWith(410), 'gone', 'The host says that it is gone (status 410).'],
	['401', respondWith(401, { [ALLOW]: 'POST' }), 'unknown', silent(401)],
	['403', respondWith(403), 'unknown', silent(403)],
	['429', respondWith(429), 'unknown', silent(429)],
	['500', respondWith(500), 'unknown', silent(500)],
	['a redirect to itself', redirectToItself, 'unknown', silent(307)],
	[
		'a server that never responds',
		() => undefined,
		'unreachable',
		'127.0.0.1:PORT did not respond in time (ETIMEDOUT).',
	],
	['a response that never ends', endless(200, { allow: 'POST' }), 'live', ACCEPTS],
	[
		'a 404 that never ends',
		endless(404),
		'unreachable',
		'127.0.0.1:PORT did not respond in time (ETIMEDOUT).',
	],
	[
		'a server that disconnects',
		(response) => response.destroy(),
		'unreachable',
		'The connection to 127.0.0.1:PORT was cut off (ECONNRESET).',
	],
];

it.each(RESPONSES)('says of %s what it is', async (_kind, handle, target, detail) => {
	const { url, asked } = await targets.start(handle);
	const [said, why] = await verdictOn(`${url}/a/webhook?event=warmed`);
	expect([said, textOf(why).replace(/:\d+ /, ':PORT ')]).toEqual([target, detail]);
	// A GET only where something that looks like n8n lists no method: there it starts nothing.
	expect(asked.map(({ method }) => method).join()).toMatch(/^OPTIONS(,GET)?$/);
	for (const one of asked) expect(one).toMatchObject({ url: '/a/webhook?event=warmed', body: '' });
});

it('calls a host whose certificate is not trusted unreachable', async () => {
	const { url } = await targets.start(n8nWith('POST'), true);
	expect(await verdictOn(url)).toEqual([
		'unreachable',
		`No secure connection to ${new URL(url).host} could be made (DEPTH_ZERO_SELF_SIGNED_CERT).`,
	]);
});

it('says of a target URL that is none that it is unknown, and asks nobody', async () => {
	expect(await verdictOn('ftp://files.test/in')).toEqual([
		'unknown',
		'The target URL does not begin with http:// or https://.',
	]);
});

/** An execution whose requests to target URLs fail so. */
async function verdictAfter(error: Error) {
	world.addWebhook({ targetUrl: 'https://crm.test/in' });
	const { context, run } = world.execution({ resource: 'webhook', operation: 'check' });
	context.helpers.httpRequest = async () => {
		throw error;
	};
	const [item] = jsonOf(await run());
	return [item?.target, item?.targetDetail];
}

it('says why it does not know, where n8n forbids the request', async () => {
	const verdict = [
		'unknown',
		'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).',
	];
	const blocked = new SsrfBlockedIpError('127.0.0.1', 'crm.test');
	expect(await verdictAfter(blocked)).toEqual(verdict);
	const wrapped = Object.assign(new Error('It broke', { cause: blocked }), {
		code: 'ECONNREFUSED',
	});
	for (const { _id } of world.webhooks) world.service.removeHook(_id);
	expect(await verdictAfter(wrapped)).toEqual(verdict);
});

it('keeps the webhook as the service lists it, and adds two fields', async () => {
	const { url } = await targets.start(n8nWith('POST'));
	const webhook = { _id: 'hoo_1', targetUrl: url, createdAt: null, somethingNew: { deep: [1] } };
	world.respondOnce('GET', [webhook]);
	expect(await checked()).toEqual([
		{ ...webhook, target: 'live', targetDetail: 'n8n has a webhook there.' },
	]);
});

it('checks the webhooks that pass the filters, and asks no others', async () => {
	const [one, other] = [await targets.start(n8nWith('POST')), await targets.start(n8nWith())];
	world.addWebhook({ targetUrl: `${one.url}/a`, type: 'warmed', campaignId: 'cam_1' });
	world.addWebhook({ targetUrl: `${other.url}/b`, type: 'warmed' });
	const filters = { event: 'warmed', campaignId: 'cam_1' };
	expect(await checked({ filters })).toMatchObject([{ target: 'live' }]);
	expect(other.asked).toEqual([]);
	expect(await checked()).toMatchObject([{ target: 'live' }, { target: 'gone' }]);
});

it('asks the same target URL once, for however many webhooks and items', async () => {
	const { url, asked } = await targets.start(n8nWith('POST'));
	world.addWebhook({ targetUrl: `${url}/a?event=*`, type: 'warmed' });
	world.addWebhook({ targetUrl: `${url.replace('http', 'HTTP')}/a?event=*` });
	world.addWebhook({ targetUrl: `${url}/b` });
	const items = await checked({}, { items: [{}, {}] });
	expect(items.map(({ target }) => target)).toEqual(Array(6).fill('live'));
	expect(asked.map((one) => one.url).sort()).toEqual(['/a?event=*', '/b']);
	// Another execution asks anew. What a host may tell apart is another URL.
	world.addWebhook({ targetUrl: `${url.replace('://', '://user:password@')}/b` });
	await checked();
	expect(asked).toHaveLength(5);
});

it('asks at most five target URLs at a time, also for several items', async () => {
	const held: Array<() => void> = [];
	const { url, asked } = await targets.start((response) => {
		held.push(() => response.writeHead(204).end());
	});
	for (let index = 0; index < 12; index++) {
		world.addWebhook({ targetUrl: `${url}/${'abc'[index % 3]}/${index}` });
	}
	const filters = { targetUrl: '={{ $json.part }}' };
	const items = ['/a/', '/b/', '/c/'].map((part) => ({ part }));
	const running = checked({ filters }, { items });
	const most: number[] = [];
	let done = 0;
	while (done < 12) {
		await until(() => held.length > 0);
		// Whoever may ask has done so by then.
		for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
		most.push(asked.length - done);
		done += held.length;
		for (const respond of held.splice(0)) respond();
	}
	await running;
	expect(Math.max(...most)).toBe(5);
	expect(asked).toHaveLength(12);
});

it('sends a target URL neither the API key nor cookies, and its own origin', async () => {
	const { url, asked } = await targets.start(n8nWith('POST'));
	await verdictOn(`${url}/a`);
	expect(asked[0]?.headers).toMatchObject({ origin: url });
	expect(asked[0]?.headers).not.toHaveProperty('authorization');
	expect(JSON.stringify(asked)).not.toContain(world.service.apiKey);
	expect(world.requests()).toEqual(['GET /hooks']);
});

it('shows nothing of a login or a token in the target URL, beyond the field of the service', async () => {
	const { url } = await targets.start((response) =>
		response.writeHead(301, { location: '/?token=t0ken-in-location' }).end('t0ken-in-body'),
	);
	const withSecrets = `${url.replace('//', '//user:passw0rd@')}/in?token=t0ken-in-query`;
	const [, detail] = await verdictOn(withSecrets);
	expect(detail).not.toMatch(/passw0rd|t0ken|127\.0\.0\.1/);
});

it('follows no redirect, so that no token reaches another host', async () => {
	const elsewhere = await targets.start(n8nWith('POST'));
	const { url } = await targets.start(respondWith(308, { location: `${elsewhere.url}/stolen` }));
	expect(await verdictOn(`${url}/in?token=1`)).toMatchObject(['unknown', expect.anything()]);
	expect(elsewhere.asked).toEqual([]);
});

it('never gets a path that ends in a slash, at which n8n would start a webhook for GET', async () => {
	const { url, asked } = await targets.start((response, one) =>
		n8nWith(...(one.url === '/a' ? ['GET'] : []))(response, one),
	);
	expect(await verdictOn(`${url}/a/`)).toMatchObject(['unknown', expect.anything()]);
	expect(asked.map(({ method }) => method)).toEqual(['OPTIONS']);
});

it('knows a path again that is not plain ASCII', async () => {
	const { url } = await targets.start(n8nWith());
	expect(await verdictOn(`${url}/ä b/webhook?event=*`)).toMatchObject(['gone', expect.anything()]);
});

it('asks for a path once, however its URL is written', async () => {
	const { url, asked } = await targets.start(n8nWith());
	expect(await verdictOn(`${url.replace('http:', 'HTTP:')}/a`)).toMatchObject([
		'gone',
		expect.anything(),
	]);
	expect(asked.map(({ method }) => method)).toEqual(['OPTIONS', 'GET']);
});

describe('The owner of a webhook', () => {
	const execution = () => world.execution({ resource: 'webhook', operation: 'check' });
	const ownerOf = async (targetUrl: string, { context, run } = execution()) => {
		world.addWebhook({ targetUrl });
		context.helpers.httpRequest = async () => {
			throw Object.assign(new Error('It broke'), { code: 'ECONNREFUSED' });
		};
		const { targetDetail } = jsonOf(await run()).at(-1) ?? {};
		return textOf(targetDetail).replace(/ ?Nothing is listening at \S+ \(ECONNREFUSED\)\.$/, '');
	};

	it.each([
		['http://n8n.test/webhook/1/webhook?event=*', 'A webhook of this n8n.'],
		['HTTP://N8N.test:80/webhook/1', 'A webhook of this n8n.'],
		['http://n8n.test/webhook-test/1/webhook', 'A webhook of this n8n.'],
		['http://n8n.test/form/1', 'A webhook of this n8n.'],
		['http://n8n.test.evil.test/webhook/1', ''],
		['https://n8n.test/webhook/1', ''],
	])('is known from %s', async (targetUrl, expected) => {
		expect(await ownerOf(targetUrl)).toBe(expected);
	});

	it('is an active trigger of this n8n, whatever its target URL', async () => {
		await world.activeTrigger(['emailsReplied']);
		const [webhook] = world.webhooks;
		expect(await ownerOf(webhook!.targetUrl)).toBe(
			"A webhook of the active trigger 'Test · Trigger' of this n8n.",
		);
	});
});

it('ends at once when the execution is stopped, and asks no more', async () => {
	const stop = new AbortController();
	const { url, asked } = await targets.start(() => undefined);
	for (let index = 0; index < 12; index++) world.addWebhook({ targetUrl: `${url}/${index}` });
	const failing = world.fail('check', {}, { signal: stop.signal });
	await until(() => asked.length === 5);
	stop.abort();
	expect(await failing).toMatchObject({
		name: 'NodeOperationError',
		message: 'The request was cancelled',
	});
	expect(asked).toHaveLength(5);
});

it('fails when the list of webhooks cannot be fetched', async () => {
	world.service.addFault({ kind: 'status', status: 401 });
	expect((await world.fail('check')).message).toBe('The service did not accept the API key');
});
