/**
 * D92: what a proxy between n8n and the service does is not taken for what the service or a target URL does. The world
 * is a local service and the action node in one process of n8n.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { byId, jsonOf } from '../support/action';
import { useWorld } from '../support/world';

const world = useWorld();

const before = { ...process.env };
let server: Server | undefined;

function useProxy(port: number, notFor = ''): void {
	const url = `http://127.0.0.1:${port}`;
	process.env = { ...before, HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: notFor };
}
afterEach(() => {
	process.env = { ...before };
	server?.close();
});

/** Starts a proxy that asks for a login. */
async function refusingProxy(): Promise<number> {
	server = createServer((_request, response) => response.writeHead(407).end('Login, please'));
	server.on('connect', (_request, socket) => {
		socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n');
	});
	await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

const PROXIES: Array<[does: string, port: () => Promise<number>, message: RegExp]> = [
	['is down', async () => 9, /^The proxy 127\.0\.0\.1:9 of n8n cannot be reached$/],
	[
		'asks for a login',
		refusingProxy,
		/^A proxy between n8n and api\.outreach\.example asks for a login$/,
	],
];

it.each(['http', 'https'].flatMap((scheme) => PROXIES.map((proxy) => [scheme, ...proxy] as const)))(
	'Between n8n and %s, a proxy that %s is named, and nothing was sent',
	async (scheme, _, port, message) => {
		useProxy(await port());
		const credential = { baseUrl: `${scheme}://api.outreach.example/api`, apiKey: 'key' };
		const create = { targetUrl: 'https://crm.test/in', event: '*' };
		const error = await world.fail('create', create, { credential });
		expect(error.message).toMatch(message);
		expect(error.description).not.toContain('not known');
	},
);

it.each(PROXIES)('Nobody is told to delete a webhook because a proxy %s', async (_, start) => {
	const { _id } = world.addWebhook({ targetUrl: 'https://crm.outreach.example/in' });
	const port = await start();
	const run = async (operation: string) => {
		const { baseUrl, apiKey } = world.service;
		const credential = { baseUrl, apiKey };
		useProxy(port, '127.0.0.1');
		const options = { credential, continueOnFail: true };
		const [item] = jsonOf(await world.run(operation, { webhookId: byId(_id) }, options));
		return item;
	};
	const checked = await run('check');
	expect(checked).toMatchObject({ target: 'unknown' });
	expect(checked?.targetDetail).toMatch(/proxy/i);
	expect((await run('sendTest'))?.error).toMatch(
		/This says nothing about the target URL itself\.$/,
	);
});
