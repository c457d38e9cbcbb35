/**
 * Check Many: what it says of each kind of target URL, and that asking starts nothing there. The world is a local
 * service, the action node in one process of n8n, and servers at target URLs.
 */
import { useFineClock } from '../../clock';
import { jsonOf } from '../support/action';
import { textLike } from '../support/matchers';
import { n8nWith, respondWith, unregistered, useTargets, type Handler } from '../support/targets';
import { until } from '../support/until';
import { useWorld } from '../support/world';

useFineClock();
const world = useWorld();
const targets = useTargets();

const checked = async (parameters = {}, options = {}) =>
	jsonOf(await world.run('check', parameters, options));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What is said of the webhook with this target URL. */
async function verdictOn(targetUrl: string) {
	const { _id } = world.addWebhook({ targetUrl });
	const item = (await checked()).find((one) => one._id === _id);
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
const otherNotFound = respondWith(404, {}, unregistered('b/webhook'));
const allowingEverything = respondWith(204, { [ALLOW]: 'OPTIONS,GET,POST', etag: 'W/"0-a"' });
/** Made with Express: it lists OPTIONS alone, and only for a request with an origin. */
const otherServer: Handler = (response, asked) => {
	if (asked.method === 'OPTIONS') n8nWith()(response, asked);
	else respondWith(404, {}, '{"message":"Not Found"}')(response, asked);
};
const disconnecting: Handler = (response) => response.destroy();
const LATE = '127.0.0.1:PORT did not respond in time (ETIMEDOUT).';
const CUT = 'The connection to 127.0.0.1:PORT was cut off (ECONNRESET).';
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
	['a proxy that quotes n8n’s words for another path', otherNotFound, 'unknown', silent(404)],
	['another server made as n8n is', otherServer, 'unknown', silent(204)],
	['a server that allows CORS everywhere', allowingEverything, 'unknown', silent(204)],
	['an n8n that starts', respondWith(200, {}, 'n8n is starting up'), 'unknown', silent(200)],
	['a server that accepts POST', respondWith(200, { allow: 'OPTIONS, POST' }), 'live', ACCEPTS],
	['405 with POST in Allow', respondWith(405, { allow: 'POST' }), 'live', ACCEPTS],
	['one that accepts GET', respondWith(200, { allow: 'GET' }), 'unknown', silent(200)],
	['404', respondWith(404, {}, 'Not Found'), 'unknown', silent(404)],
	['410', respondWith(410), 'gone', 'The host says that it is gone (status 410).'],
	['401 with POST', respondWith(401, { allow: 'POST' }), 'unknown', silent(401)],
	['500', respondWith(500), 'unknown', silent(500)],
	['a redirect to itself', redirectToItself, 'unknown', silent(307)],
	['a response that never ends', endless(200, { allow: 'POST' }), 'live', ACCEPTS],
	['a 404 that never ends', endless(404), 'unreachable', LATE],
	['a server that disconnects', disconnecting, 'unreachable', CUT],
];

it.each(RESPONSES)('says of %s what it is', async (_kind, handle, target, detail) => {
	const { url, asked } = await targets.start(handle);
	const [said, why] = await verdictOn(`${url}/a/webhook?event=warmed`);
	expect([said, textOf(why).replace(/:\d+ /, ':PORT ')]).toEqual([target, detail]);
	// A GET only where something that looks like n8n lists no method: there it starts nothing.
	expect(asked.map(({ method }) => method).join()).toMatch(/^OPTIONS(,GET)?$/);
	for (const one of asked) expect(one).toMatchObject({ url: '/a/webhook?event=warmed', body: '' });
});

it('finds a path that is not plain ASCII, and sends nothing to what is no http(s) URL', async () => {
	const { url } = await targets.start(n8nWith());
	expect(await verdictOn(`${url}/ä b/webhook?event=*`)).toEqual(['gone', GONE]);
	expect(await verdictOn('ftp://files.test/in')).toEqual([
		'unknown',
		'The target URL does not begin with http:// or https://.',
	]);
	expect(await verdictOn('https://files.test:99999/in')).toEqual([
		'unknown',
		'The target URL is not valid: check its host and port.',
	]);
});

it('keeps the webhook as the service lists it, adds its own fields, and explains them above the output', async () => {
	const { url } = await targets.start(n8nWith('POST'));
	const webhook = { _id: 'hoo_1', targetUrl: url, createdAt: null, somethingNew: { deep: [1] } };
	world.respondOnce('GET', [webhook]);
	const execution = world.execution({ resource: 'webhook', operation: 'check' });
	expect(jsonOf(await execution.run())).toEqual([
		{ ...webhook, target: 'live', targetDetail: 'n8n has a webhook there.' },
	]);
	expect(execution.context.hints).toEqual([
		{ message: textLike(/^'target' says .* check again\.$/), location: 'outputPane' },
	]);
});

it('asks the same target URL once, for however many webhooks and items, and five URLs at a time', async () => {
	let open = 0;
	let most = 0;
	const { url, asked } = await targets.start((response) => {
		open += 1;
		most = Math.max(most, open);
		setTimeout(() => {
			open -= 1;
			response.writeHead(204).end();
		}, 20);
	});
	for (let index = 0; index < 12; index++) world.addWebhook({ targetUrl: `${url}/${index}?a=*` });
	world.addWebhook({ targetUrl: `${url.replace('http', 'HTTP')}/0?a=*` });
	expect(await checked({}, { items: [{}, {}] })).toHaveLength(26);
	expect(asked).toHaveLength(12);
	expect(most).toBe(5);
});

it('sends a target URL neither the API key nor cookies, and shows nothing of a login or a token in it', async () => {
	const elsewhere = await targets.start(n8nWith('POST'));
	const { url, asked } = await targets.start((response) =>
		response.writeHead(301, { location: `${elsewhere.url}/?token=t0ken` }).end('t0ken-in-body'),
	);
	const withSecrets = `${url.replace('//', '//user:passw0rd@')}/in?token=t0ken-in-query`;
	const [, detail] = await verdictOn(withSecrets);
	expect(detail).not.toMatch(/passw0rd|t0ken|127\.0\.0\.1/);
	expect(asked[0]?.headers).toMatchObject({ origin: url });
	expect(JSON.stringify(asked)).not.toContain(world.service.apiKey);
	// A redirect would carry the token to another host.
	expect(elsewhere.asked).toEqual([]);
});

it('never gets a path that ends in a slash, at which n8n would start a webhook for GET', async () => {
	const { url, asked } = await targets.start((response, one) =>
		n8nWith(...(one.url === '/a' ? ['GET'] : []))(response, one),
	);
	expect(await verdictOn(`${url}/a/`)).toMatchObject(['unknown', expect.anything()]);
	expect(asked.map(({ method }) => method)).toEqual(['OPTIONS']);
});

it('says who uses a webhook: an active trigger, this n8n, or nobody that it knows', async () => {
	await world.activeTrigger(['emailsReplied']);
	world.addWebhook({ targetUrl: 'HTTP://N8N.test:80/form/1' });
	world.addWebhook({ targetUrl: 'http://n8n.test.evil.test/webhook/1' });
	const users = (await checked()).map((item) => item.usedBy);
	expect(users).toEqual(['Test · Trigger', 'this n8n', undefined]);
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
