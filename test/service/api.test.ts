/** The API of the local service (docs/api.md): routes, keys, webhooks, the rate limit, and the switches that change it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { SwitchChanges } from '../../tools/service';
import { EVENT_TYPES, REMOVED_EVENT_TYPES } from '../../tools/service/model/eventTypes';
import { ROUTES } from '../../tools/service/routes';
import { call, callApi, service, withSwitches } from './support';

const targetUrl = 'https://n8n.example/webhook/1';
const hook = { targetUrl };
const basic = (credential: string) => `Basic ${Buffer.from(credential).toString('base64')}`;
const documented = readFileSync(resolve(__dirname, '../../docs/api.md'), 'utf8');

it('§4 has exactly the documented routes', () => {
	const listed = [...documented.matchAll(/^`([A-Z]+ \/[^`]+)`/gm)].map(([, route = '']) =>
		route.replace(/\{\w+\}/g, ':id'),
	);
	expect(Object.keys(ROUTES).sort()).toEqual(listed.sort());
});

describe('§5 a key', () => {
	it('is accepted as the base64 encoding of a colon and the key, with the scheme in any case', async () => {
		const running = await service({ apiKeys: ['key:with:colons'] });
		const authorization = basic(':key:with:colons').replace('Basic', 'basic');
		const response = await call(`${running.baseUrl}/hooks`, 'GET', { headers: { authorization } });
		expect(response.status).toBe(200);
	});

	it.each([
		['no header', undefined],
		['an unknown key', basic(':wrong')],
		['a login before the key', basic('me:right')],
		['an empty key', basic(':')],
		['another scheme', 'Bearer right'],
		['text after the credential', `${basic(':right')} more`],
	])('is asked for with 401 and no body after %s', async (_what, authorization) => {
		const running = await service({ apiKeys: ['right'] });
		const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
		for (const path of ['/hooks', '/no/such/route']) {
			const response = await call(`${running.baseUrl}${path}`, 'GET', { headers });
			expect(response).toMatchObject({ status: 401, text: '' });
		}
	});
});

describe('A webhook', () => {
	it('§2.1 always has _id, targetUrl and createdAt, and no field that was not set', async () => {
		const { json } = await callApi(await service(), 'POST', '/hooks', { body: hook });
		expect(json).toEqual({
			_id: expect.stringMatching(/^hoo_[A-Za-z0-9]{17}$/) as string,
			targetUrl,
			createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
		});
	});

	it('§2.1 belongs to the team of the key, and other teams can neither list nor delete it', async () => {
		const running = await service();
		running.addApiKey('two', 'tea_2');
		const { _id } = running.addHook(hook);
		expect((await callApi(running, 'GET', '/hooks', { key: 'two' })).json).toEqual([]);
		const refused = await callApi(running, 'DELETE', `/hooks/${_id}`, { key: 'two' });
		expect(refused).toMatchObject({ status: 404, text: 'Webhook not found' });
		expect((await callApi(running, 'GET', '/hooks')).json).toMatchObject([{ _id }]);
	});

	it('§6.1 can have each of the 75 event types, and §6.2 none that was removed', async () => {
		const running = await service();
		for (const type of EVENT_TYPES) {
			const response = await callApi(running, 'POST', '/hooks', { body: { targetUrl, type } });
			expect(response).toMatchObject({ status: 200, json: { type } });
		}
		for (const [type, replacement] of REMOVED_EVENT_TYPES) {
			const response = await callApi(running, 'POST', '/hooks', { body: { targetUrl, type } });
			expect(response.status).toBe(400);
			expect(response.text).toContain(replacement ?? 'without a replacement');
		}
		expect(running.hooks()).toHaveLength(75);
	});

	it.each([
		['a missing targetUrl', {}, 'targetUrl'],
		['a targetUrl that is neither http nor https', { targetUrl: 'ftp://a.example/' }, 'targetUrl'],
		['a type that §6.1 does not list', { targetUrl, type: 'somethingNew' }, 'somethingNew'],
		['a type that an object has as a property', { targetUrl, type: 'constructor' }, 'constructor'],
		['an isFirst that is no boolean', { targetUrl, isFirst: 'maybe' }, 'isFirst'],
		['a toolLinkId that is no integer', { targetUrl, toolLinkId: 1.5 }, 'toolLinkId'],
		['null', null, 'body'],
	])('cannot have %s: plain text names it', async (_what, body, named) => {
		const running = await service();
		const response = await callApi(running, 'POST', '/hooks', { body });
		expect(response.status).toBe(400);
		expect(response.headers['content-type']).toMatch(/^text\/plain/);
		expect(response.text).toContain(named);
		expect(running.hooks()).toEqual([]);
	});

	it('§6.4.3 has a secret that is in no response, view or log', async () => {
		const running = await withSwitches({ hookUrls: 'oncePerTeam' });
		const body = { targetUrl, secret: 'open sesame' };
		const seen: unknown[] = [];
		for (const path of ['/hooks?secret=open%20sesame', '/hooks']) {
			seen.push(await callApi(running, 'POST', path, { body }));
		}
		seen.push(await callApi(running, 'GET', '/hooks'), running.hooks());
		seen.push(await callApi(running, 'DELETE', `/hooks/${running.hooks()[0]!._id}`));
		expect(JSON.stringify([seen, running.requests])).not.toContain('sesame');
		expect(running.requests[0]).toMatchObject({ body: { secret: '(set)' } });
	});
});

it('An unknown route or method gets 404, and is in the log', async () => {
	const running = await service();
	await callApi(running, 'GET', '/no/such');
	await callApi(running, 'PUT', '/hooks');
	expect(running.requests).toMatchObject([
		{ path: '/no/such', status: 404 },
		{ path: '/hooks', status: 404 },
	]);
});

describe('§8 the rate limit', () => {
	/** A window longer than any test, so that no test depends on the speed of the machine. */
	const limited = { rateLimit: 'sliding', rateLimitWindowMs: 600_000 } as const;

	it('refuses requests over it with 429, for each key separately', async () => {
		const running = await service({ apiKeys: ['a', 'b', 'c'], switches: limited });
		const burst = async (count: number, key: string) =>
			await Promise.all(
				Array.from({ length: count }, async () => callApi(running, 'GET', '/hooks', { key })),
			);
		const refused = (await burst(25, 'a')).filter(({ status }) => status === 429);
		expect(refused).toHaveLength(5);
		expect(refused[0]).toMatchObject({
			text: 'Too many requests',
			headers: { 'content-type': 'text/plain; charset=utf-8' },
		});
		// The rest of a window of 600 seconds, less than what the burst took.
		const retryAfter = Number(refused[0]?.headers['retry-after']);
		expect(Math.abs(retryAfter - 500)).toBeLessThanOrEqual(100);
		await burst(20, 'b');
		await burst(1, 'unknown');
		expect(running.refused.map(({ apiKey }) => apiKey)).toEqual(Array(5).fill('a'));
	});

	it('§8.2 is in the headers of each response', async () => {
		const { headers } = await callApi(await withSwitches(limited), 'GET', '/hooks');
		expect(headers).toMatchObject({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '19' });
		const reset = String(headers['x-ratelimit-reset']);
		expect(new Date(reset).toUTCString()).toBe(reset);
		const untilReset = Date.parse(reset) - Date.parse(String(headers.date));
		expect(Math.abs(untilReset - 601_000)).toBeLessThanOrEqual(1_000);
	});

	it('counts a request for the length of the window', async () => {
		const switches = {
			rateLimit: 'sliding',
			rateLimitRequests: 2,
			rateLimitWindowMs: 10_000,
		} as const;
		const running = await withSwitches(switches);
		const request = async () => (await callApi(running, 'GET', '/hooks')).status;
		const statuses = [await request()];
		const began = performance.now();
		for (const atMs of [6_000, 11_000, 11_000]) {
			const waitMs = Math.max(0, began + atMs - performance.now());
			await new Promise((done) => setTimeout(done, waitMs));
			statuses.push(await request());
		}
		expect(statuses).toEqual([200, 200, 200, 429]);
	});
});

describe('A switch', () => {
	/** The webhook that is already there. */
	const there = { targetUrl: 'http://there.example' };
	const inQuery = '?campaignId=cam_q&isFirst=true&toolLinkId=1';
	const fromQuery = { campaignId: 'cam_q', isFirst: true, toolLinkId: 1 };
	const inBody = { campaignId: 'cam_b', isFirst: false, toolLinkId: 2 };
	const both = { ...hook, ...inBody };

	it.each<
		[SwitchChanges, request: ['GET' | 'POST' | 'DELETE', path: string, body?: object], object]
	>([
		[{}, ['POST', `/hooks${inQuery}`, hook], { json: fromQuery }],
		[{}, ['POST', `/hooks${inQuery}`, both], { json: inBody }],
		[{}, ['POST', '/hooks?toolLinkId=abc', hook], { status: 400 }],
		[{ createStatus: 201 }, ['POST', '/hooks', hook], { status: 201, json: { targetUrl } }],
		[{ createStatus: 204 }, ['POST', '/hooks', hook], { status: 204, text: '' }],
		[
			{ targetUrlForm: 'normalized' },
			['POST', '/hooks', { targetUrl: 'HTTPS://N8N.example?event=*' }],
			{ json: { targetUrl: 'https://n8n.example/?event=%2A' } },
		],
		[
			{ unknownTypes: 'accept' },
			['POST', '/hooks', { ...hook, type: 'telepathySent' }],
			{ status: 200, json: { type: 'telepathySent' } },
		],
		[{ hookUrls: 'shared' }, ['POST', '/hooks', there], { status: 200 }],
		[{ hookUrls: 'oncePerTeam' }, ['POST', '/hooks', there], { status: 409 }],
		[{ maxHooks: 1 }, ['POST', '/hooks', hook], { status: 400 }],
		[{ maxHooks: 2 }, ['POST', '/hooks', hook], { status: 200 }],
		[{}, ['DELETE', '/hooks/ID'], { status: 200, json: there }],
		[{ deleteBody: 'empty' }, ['DELETE', '/hooks/ID'], { status: 200, text: '' }],
		[{ notFoundStatus: 410 }, ['DELETE', '/hooks/hoo_1'], { status: 410 }],
		[{ emptyList: 'notFound' }, ['GET', '/hooks'], { status: 200 }],
	])('set to %j, decides that %j is %j', async (switches, [method, path, body], response) => {
		const running = await withSwitches(switches);
		const { _id } = running.addHook(there);
		const seen = await callApi(running, method, path.replace('ID', _id), { body });
		expect(seen).toMatchObject(response);
	});
});
