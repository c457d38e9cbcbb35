/** The control API and the command of the local service: what they do, whom they serve, and what they never show. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { RunningService } from '../../tools/service';
import { readCommandLine } from '../../tools/service/main';
import { call, callApi, receiver, service } from './support';

const control = async (
	{ controlUrl }: RunningService,
	method: Parameters<typeof call>[1],
	path: string,
	body?: unknown,
) => await call(`${controlUrl}${path}`, method, { body });

describe('The control API', () => {
	it('sends an event and returns the attempts', async () => {
		const target = await receiver();
		const running = await service({ control: true });
		running.addHook({ targetUrl: target.url });
		const event = { type: 'emailsReplied', leadFirstName: 'Ann' };
		const { json } = await control(running, 'POST', '/events', event);
		expect(json).toMatchObject({ attempts: [{ status: 200, type: 'emailsReplied' }] });
		expect(target.received[0]?.body).toMatchObject({ leadFirstName: 'Ann' });
		const state = await control(running, 'GET', '/state');
		expect(state.json).toMatchObject({ ledger: [{ status: 200 }] });
	});

	it('sets switches, and adds and removes faults, that are valid', async () => {
		const running = await service({ control: true });
		await control(running, 'PATCH', '/switches', { createStatus: 201 });
		const wrong = await control(running, 'PATCH', '/switches', { createStatus: 'fine' });
		expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('createStatus')]);
		expect(running.switches.createStatus).toBe(201);
		const added = await control(running, 'POST', '/faults', { kind: 'half', times: 3 });
		expect(added.json).toEqual([{ kind: 'half', times: 3 }]);
		const { json } = await control(running, 'GET', '/state');
		expect(json).toMatchObject({ faults: [{ kind: 'half' }] });
		expect((await control(running, 'DELETE', '/faults')).json).toEqual([]);
		expect((await control(running, 'POST', '/faults', { kind: 'flood' })).status).toBe(400);
	});

	it('shows no key, no secret, and no query or body of a request', async () => {
		const running = await service({ control: true, apiKeys: ['the-key'] });
		const body = { targetUrl: 'https://a.test', secret: 'hush' };
		await callApi(running, 'POST', '/hooks?secret=hush&campaignId=cam_a', { body });
		const { json, text } = await control(running, 'GET', '/state');
		expect(text).not.toMatch(/hush|the-key/);
		const { requests } = json as { requests: unknown[] };
		expect(JSON.stringify(requests)).toMatch(/^\[\{"(?!.*(a\.test|cam_a)).*"\/hooks"/);
	});

	it.each([
		['the page itself', 200, { origin: 'SELF' }],
		['a program', 200, {}],
		['the URL with localhost', 200, { host: 'localhost:1' }],
		['a page on another site', 403, { origin: 'https://evil.example' }],
		['a page on another port', 403, { origin: 'http://127.0.0.1:1' }],
		['a sandboxed page', 403, { origin: 'null' }],
		['a domain that looks like an IP address', 403, { host: '127.0.0.1.evil.example' }],
		['a form', 415, { 'content-type': 'text/plain' }],
	])('responds to %s with %i', async (_who, status, given: Record<string, string>) => {
		const { controlUrl } = await service({ control: true });
		const headers = { ...given, ...(given.origin === 'SELF' && { origin: controlUrl }) };
		const response = await call(`${controlUrl}/switches`, 'PATCH', { headers, body: '{}' });
		expect(response.status).toBe(status);
	});
});

it('A service listens on 127.0.0.1 and on no other address', async () => {
	// Every address from 127.0.0.1 to 127.255.255.254 is this machine, but only the first is listened on.
	const { baseUrl, controlUrl } = await service({ control: true });
	for (const url of [baseUrl, controlUrl]) {
		expect(new URL(url).hostname).toBe('127.0.0.1');
		const other = url.replace('127.0.0.1', '127.0.0.2');
		await expect(fetch(other, { signal: AbortSignal.timeout(2_000) })).rejects.toThrow(
			/fetch failed|timeout/,
		);
	}
});

describe('The command', () => {
	it('listens on this machine only by default, and accepts ports, several keys and switches', () => {
		const defaults = { host: '127.0.0.1', port: 4010, controlPort: 4011 };
		expect(readCommandLine([])).toMatchObject(defaults);
		const line = '--port 1 --api-key a --api-key b --switch rateLimit=off --switch maxHooks=5';
		expect(readCommandLine(line.split(' '))).toMatchObject({
			port: 1,
			apiKeys: ['a', 'b'],
			switches: { rateLimit: 'off', maxHooks: 5 },
		});
	});

	it('prints its URLs, and stops cleanly on Ctrl-C while a request is open', async () => {
		const main = join(__dirname, '../../tools/service/main.ts');
		const options = ['--port', '0', '--control-port', '0', '--api-key', 'k'];
		const child = spawn(process.execPath, ['--import', 'tsx', main, ...options]);
		const greeted: unknown[] = await once(child.stdout, 'data');
		const [, controlUrl = ''] = /Control page {2}(\S+)/.exec(String(greeted[0])) ?? [];
		expect(String(greeted[0])).toMatch(/API key {7}k\n/);
		const page = await fetch(controlUrl);
		child.kill('SIGINT');
		expect((await once(child, 'exit')) as unknown[]).toEqual([0, null]);
		await page.text().catch(() => undefined);
	}, 90_000);
});
