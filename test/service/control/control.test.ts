/**
 * The control API of the local service: events, webhooks, switches, faults and the logs. Against a local service that
 * the test starts.
 */
import { z } from 'zod';

import { call, callApi, type ApiResponse } from '../testing/apiClient';
import { receiver, serviceWithControl } from '../testing/fixture';
import type { RunningService } from '../../../tools/service';
import { EVENT_GROUPS, eventName } from '../../../tools/service/model/eventGroups';

type Method = Parameters<typeof call>[1];
const control = async (
	running: RunningService,
	method: Method,
	path: string,
	body?: unknown,
): Promise<ApiResponse> => call(`${running.controlUrl}${path}`, method, { body });

describe('the control API', () => {
	it('POST /events sends an event and returns the attempts', async () => {
		const target = await receiver();
		const running = await serviceWithControl();
		running.addHook({ targetUrl: target.url });
		const { json } = await control(running, 'POST', '/events', {
			type: 'emailsReplied',
			leadFirstName: 'Ann',
		});
		expect(json).toMatchObject({ attempts: [{ status: 200, type: 'emailsReplied' }] });
		expect(target.received[0]?.body).toMatchObject({ leadFirstName: 'Ann' });
		const state = await control(running, 'GET', '/state');
		expect(state.json).toMatchObject({ ledger: [{ status: 200 }] });
	});

	it('disables and deletes webhooks without rate limit, and never returns a secret', async () => {
		const running = await serviceWithControl({
			switches: { rateLimit: 'sliding', rateLimitRequests: 0 },
		});
		const { _id: id } = running.addHook({ targetUrl: 'http://n8n.example', secret: 'hush' });
		await control(running, 'POST', `/hooks/${id}/disable`);
		const { json, text } = await control(running, 'GET', '/state');
		const shown = ['_id', 'createdAt', 'disabled', 'hasSecret', 'targetUrl', 'team'];
		const { hooks } = z.object({ hooks: z.array(z.record(z.unknown())) }).parse(json);
		expect(hooks).toMatchObject([{ _id: id, disabled: true, hasSecret: true }]);
		expect(Object.keys(hooks[0]!).sort()).toEqual(shown);
		expect(text).not.toContain('hush');
		expect((await control(running, 'DELETE', `/hooks/${id}`)).status).toBe(200);
		expect((await control(running, 'DELETE', `/hooks/${id}`)).status).toBe(404);
		expect((await control(running, 'POST', `/hooks/${id}/disable`)).status).toBe(404);
	});

	it('PATCH /switches applies to later requests', async () => {
		const running = await serviceWithControl();
		await control(running, 'PATCH', '/switches', { createStatus: 201 });
		const body = { targetUrl: 'http://n8n.example' };
		expect((await callApi(running, 'POST', '/hooks', { body })).status).toBe(201);
		const wrong = await control(running, 'PATCH', '/switches', { createStatus: 'fine' });
		expect(wrong.status).toBe(400);
		expect(wrong.text).toContain('createStatus');
		expect(running.switches.createStatus).toBe(201);
	});

	it('lists requests with neither queries nor bodies, and no key that is or was valid', async () => {
		const running = await serviceWithControl({ apiKeys: ['the/key+of-team', 'old-key'] });
		const body = { targetUrl: 'https://a.test', secret: 'hush' };
		await callApi(running, 'POST', '/hooks?secret=hush&key=old-key', { body });
		running.removeApiKey('old-key');
		for (const key of ['the/key+of-team', 'old-key'])
			await callApi(running, 'GET', `/hooks/${encodeURIComponent(key)}`);
		const { json } = await control(running, 'GET', '/state');
		const { requests } = json as { requests: unknown[] };
		expect(requests).toHaveLength(3);
		expect(JSON.stringify(requests)).not.toMatch(/hush|a\.test|the|old-key/);
	});

	it('adds and lists faults, and removes them', async () => {
		const running = await serviceWithControl();
		const { json } = await control(running, 'POST', '/faults', { kind: 'html', times: 3 });
		await callApi(running, 'GET', '/hooks');
		const listed = await control(running, 'GET', '/state');
		expect(listed.json).toMatchObject({ faults: [{ id: 1, fault: { kind: 'html' } }] });
		expect(json).toEqual({ id: 1 });
		expect((await control(running, 'DELETE', '/faults')).json).toEqual([]);
		expect((await control(running, 'POST', '/faults', { kind: 'flood' })).status).toBe(400);
	});
});

describe('the control page', () => {
	it('loads only files that the service serves', async () => {
		const running = await serviceWithControl();
		const page = await control(running, 'GET', '/');
		expect(page.headers['content-security-policy']).toContain("default-src 'none'");
		expect(page.text).not.toMatch(/https?:\/\//);
		const loaded = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(
			([, path]) => path ?? '',
		);
		expect(loaded).toEqual(['/pico.css', '/page.css', '/page.js']);
		for (const path of loaded) {
			expect((await control(running, 'GET', path)).status).toBe(200);
		}
	});
});

it('A link on another page, as in n8n, opens the README', async () => {
	const running = await serviceWithControl();
	const headers = { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' };
	const { status, text } = await call(`${running.controlUrl}/README.md`, 'GET', { headers });
	expect([status, text]).toEqual([200, expect.stringContaining('# n8n-nodes-outreach-service')]);
});

describe('a control request', () => {
	it.each([
		['the page itself', 200, { origin: 'SELF', 'sec-fetch-site': 'same-origin' }],
		['a program', 200, {}],
		['a URL that the user enters', 200, { 'sec-fetch-site': 'none' }],
		['the URL with localhost', 200, { host: 'localhost:1' }],
		['a page on another site', 403, { origin: 'https://evil.example' }],
		['a page on another port', 403, { origin: 'http://127.0.0.1:1' }],
		['a sandboxed page', 403, { origin: 'null' }],
		['an image in another page', 403, { 'sec-fetch-site': 'cross-site' }],
		['a domain that resolves to this machine', 403, { host: 'evil.example' }],
		['a domain that looks like an IP address', 403, { host: '127.0.0.1.evil.example' }],
	])('from %s returns %i', async (_who, status, headers: Record<string, string>) => {
		const running = await serviceWithControl();
		const withOrigin = {
			...headers,
			...(headers.origin === 'SELF' && { origin: running.controlUrl }),
		};
		for (const [method, path] of [
			['GET', '/state'],
			['PATCH', '/switches'],
		] as const) {
			const body = method === 'PATCH' ? {} : undefined;
			const response = await call(`${running.controlUrl}${path}`, method, {
				headers: withOrigin,
				body,
			});
			expect(response.status).toBe(status);
		}
	});

	it('from a form on another page is rejected, because only JSON is accepted', async () => {
		const running = await serviceWithControl();
		const headers = { 'content-type': 'text/plain' };
		const response = await call(`${running.controlUrl}/events`, 'POST', {
			headers,
			body: '{"type":"paused"}',
		});
		expect(response.status).toBe(415);
	});
});

it('The page names each event in words, however its type is written', () => {
	const types = EVENT_GROUPS.flatMap((group) => group.types);
	for (const type of [...types, 'whatsapp_read', 'chat-opened']) {
		expect(eventName(type)).toMatch(/^[A-Z][A-Za-z\d ]*[A-Za-z\d]$/);
	}
	expect(eventName('chat-opened')).toBe('Chat opened');
});
