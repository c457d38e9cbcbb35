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
const servers: Server[] = [];

const useProxy = (port: number, notFor = '') => {
	const url = `http://127.0.0.1:${port}`;
	process.env.HTTP_PROXY = url;
	process.env.HTTPS_PROXY = url;
	process.env.NO_PROXY = notFor;
};
const restore = () => {
	process.env = { ...before };
};

afterEach(() => {
	restore();
	for (const server of servers.splice(0)) server.close();
});

/** Starts a proxy that refuses every request in the same way. */
async function refusingProxy(status: number, body: string): Promise<number> {
	const server = createServer((_request, response) => response.writeHead(status).end(body));
	server.on('connect', (_request, socket) => {
		socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
	});
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

const AT = ['http://api.outreach.example/api', 'https://api.outreach.example/api'];

describe.each(AT)('Between n8n and %s', (baseUrl) => {
	const list = async () => {
		const credential = { baseUrl, apiKey: 'key-Zx81-confidential' };
		const { message, description } = await world.fail('getAll', {}, { credential });
		const created = await world.fail(
			'create',
			{ targetUrl: 'https://crm.test/in', event: '*' },
			{ credential },
		);
		// Nothing was sent to the service.
		expect(created.description).not.toContain('not known');
		return { message, description };
	};

	it('a proxy that is down is named', async () => {
		useProxy(9);
		expect(await list()).toMatchObject({
			message: 'The proxy 127.0.0.1:9 of n8n cannot be reached',
		});
	});

	it('a proxy that asks for a login is named as what refuses', async () => {
		useProxy(await refusingProxy(407, 'Login, please'));
		expect(await list()).toMatchObject({
			message: 'A proxy between n8n and the service refused the request',
		});
	});

	it('the page of a firewall says nothing about the key', async () => {
		useProxy(await refusingProxy(403, '<html>Blocked</html>'));
		expect(await list()).toMatchObject({
			message: "api.outreach.example does not look like the service's API",
			description: expect.stringMatching(/^It responded with a web page \(status 403\)/) as string,
		});
	});
});

it.each<[string, () => Promise<number>]>([
	['is down', async () => 9],
	['asks for a login', async () => await refusingProxy(407, '')],
])('Nobody is told to delete a webhook because a proxy %s', async (_, proxy) => {
	const { _id } = world.addWebhook({ targetUrl: 'https://crm.outreach.example/in' });
	const port = await proxy();
	const execution = async (operation: string) => {
		const { baseUrl } = world.service;
		const credential = { baseUrl, apiKey: world.service.apiKey };
		useProxy(port, '127.0.0.1');
		return await world.run(
			operation,
			{ webhookId: byId(_id) },
			{ credential, continueOnFail: true },
		);
	};
	const [checked] = jsonOf(await execution('check'));
	expect(checked).toMatchObject({ target: 'unknown' });
	expect(checked?.targetDetail).toMatch(/proxy/i);
	const [sent] = jsonOf(await execution('sendTest'));
	expect(sent?.error).toMatch(/This says nothing about the target URL itself\.$/);
});

it.each([
	['an IP address that is not allowed', 'error', 'IP address not allowed'],
	['a plan', 'message', 'not part of your plan'],
])('A 403 for %s is quoted, and says nothing about the key', async (_, name, reason) => {
	const body = JSON.stringify({ [name]: reason });
	world.service.addFault({ kind: 'status', status: 403, body, times: 2 });
	const { message, description } = await world.fail('getAll');
	expect(message).toMatch(/^The service refused the request with status 403: "/);
	expect(description).not.toContain('Copy the key');
	const { message: tested } = await world.testCredential();
	expect(tested.split(reason)).toHaveLength(2);
});
