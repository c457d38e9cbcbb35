/**
 * Each fault of the local service does to a request what it says, and to no other. Against a local service that the
 * test starts.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FAULTS } from '../../../tools/service/faults';
import type { Fault, RunningService } from '../../../tools/service/index';
import { callApi } from '../testing/apiClient';
import { service } from '../testing/fixture';

const targetUrl = 'https://n8n.example/webhook/1';
const list = async (running: RunningService) => callApi(running, 'GET', '/hooks');
const create = async (running: RunningService) =>
	callApi(running, 'POST', '/hooks', { body: { targetUrl } });
const withFault = async (fault: Fault) => {
	const running = await service();
	running.addFault(fault);
	return running;
};

it('the documentation names the faults that only change headers', () => {
	const text = readFileSync(resolve(__dirname, '../../../docs/local-service.md'), 'utf8');
	const kinds = FAULTS.filter(({ changesOnlyHeaders }) => changesOnlyHeaders).map(
		({ example }) => `\`${example.kind}\``,
	);
	const together = new Intl.ListFormat('en-GB').format([...kinds, '`delay`']);
	expect(text).toContain(`All faults of the kinds ${together} apply together.`);
	expect(text).toContain(
		`meets only faults of the kinds ${new Intl.ListFormat('en-GB').format(kinds)}.`,
	);
});

describe('the fault', () => {
	it('status responds with a status, body and headers without processing the request', async () => {
		const running = await withFault({
			kind: 'status',
			status: 503,
			body: 'maintenance',
			headers: { 'retry-after': '3' },
		});
		expect(await create(running)).toMatchObject({
			status: 503,
			text: 'maintenance',
			headers: { 'retry-after': '3', 'content-type': 'text/plain; charset=utf-8' },
		});
		expect(running.hooks()).toEqual([]);
		expect((await create(running)).status).toBe(200);
	});

	it('status with when after processes the request, whatever the status', async () => {
		const running = await withFault({ kind: 'status', status: 500, body: 'oops', when: 'after' });
		expect(await create(running)).toMatchObject({ status: 500, text: 'oops' });
		expect(running.hooks()).toHaveLength(1);
	});

	it('cut with when after cuts the connection after processing the request', async () => {
		const running = await withFault({ kind: 'cut', when: 'after' });
		await expect(create(running)).rejects.toThrow(/other side closed|fetch failed|ECONNRESET/);
		expect(running.hooks()).toHaveLength(1);
		expect((await list(running)).json).toHaveLength(1);
	});

	it('drip processes the request and sends the response one byte at a time', async () => {
		const running = await withFault({ kind: 'drip', everyMs: 1 });
		expect(await create(running)).toMatchObject({ status: 200, json: { targetUrl } });
		running.addFault({ kind: 'drip', everyMs: 60_000 });
		const response = await fetch(`${running.baseUrl}/hooks`, {
			headers: { authorization: `Basic ${btoa(`:${running.apiKey}`)}` },
		});
		const reader = response.body?.getReader();
		expect((await reader?.read())?.value).toEqual(Buffer.from('['));
		await reader?.cancel();
	});

	it('half processes the request and sends only a part of the response', async () => {
		const running = await withFault({ kind: 'half' });
		await expect(create(running)).rejects.toThrow(/aborted|closed|terminated|other side/i);
		expect(running.hooks()).toHaveLength(1);
	});

	it('html responds with a page, with status 200 by default', async () => {
		const running = await withFault({ kind: 'html' });
		const response = await list(running);
		expect(response).toMatchObject({ status: 200, json: undefined });
		expect(response.headers['content-type']).toMatch(/^text\/html/);
		expect(response.text).toMatch(/^<!doctype html>/);
		running.addFault({ kind: 'html', status: 502 });
		expect((await list(running)).status).toBe(502);
	});

	it('clock skews Date and X-RateLimit-Reset by the same amount, also over the limit', async () => {
		const running = await service({
			switches: { rateLimit: 'sliding', rateLimitWindowMs: 600_000, rateLimitRequests: 1 },
		});
		const hour = 3_600_000;
		running.addFault({ kind: 'clock', skewMs: -hour, times: 2 });
		const responses = [await list(running), await list(running)];
		expect(responses.map(({ status }) => status)).toEqual([200, 429]);
		for (const { headers } of responses) {
			const date = Date.parse(String(headers.date));
			expect(Math.abs(date + hour - Date.now())).toBeLessThan(30_000);
			const untilReset = Date.parse(String(headers['x-ratelimit-reset'])) - date;
			expect(Math.abs(untilReset - 600_000)).toBeLessThan(30_000);
		}
	});
});

describe('a fault applies to', () => {
	const statusesWith = async (
		fault: Omit<Extract<Fault, { kind: 'status' }>, 'kind' | 'status'>,
		count: number,
	) => {
		const running = await withFault({ ...fault, kind: 'status', status: 500 });
		const statuses: number[] = [];
		for (let call = 0; call < count; call++) statuses.push((await list(running)).status);
		return { running, statuses };
	};

	it('the next N requests, after skipping some', async () => {
		expect((await statusesWith({ times: 2, skip: 1 }, 4)).statuses).toEqual([200, 500, 500, 200]);
	});

	it('a share of the requests, spread evenly, until it is removed', async () => {
		const { running, statuses } = await statusesWith({ share: 0.25 }, 8);
		expect(statuses).toEqual([200, 200, 200, 500, 200, 200, 200, 500]);
		running.clearFaults();
		expect(running.faults).toEqual([]);
	});

	it.each([
		[{ method: 'post' }, false],
		[{ method: 'get' }, true],
		[{ path: '/hooks' }, true],
		[{ path: '/hook' }, false],
		[{ path: '/hooks/*' }, false],
		[{ path: '/*' }, true],
		[{ path: '/*o*s' }, true],
		[{ path: '*/s' }, false],
		[{ path: '/h.oks' }, false],
		[{ path: '/hoo' }, false],
		[{ method: 'GET', path: '/schema/people' }, false],
	])('the requests that match %j', async (match, isHit) => {
		expect((await statusesWith({ match }, 1)).statuses).toEqual([isHit ? 500 : 200]);
	});

	it('the same request as a delay and a header fault, and of the others the first until it is used up', async () => {
		const running = await withFault({ kind: 'status', status: 500, times: 2 });
		running.addFault({ kind: 'headers', headers: { 'x-note': 'yes' } });
		running.addFault({ kind: 'delay', delayMs: 1 });
		running.addFault({ kind: 'html' });
		expect(await list(running)).toMatchObject({ status: 500, headers: { 'x-note': 'yes' } });
		expect(running.requests[0]?.faults.sort()).toEqual(['delay', 'headers', 'status']);
		expect((await list(running)).status).toBe(500);
		expect((await list(running)).text).toMatch(/^<!doctype/);
	});
});

describe('the list of faults', () => {
	it('rejects an invalid fault', async () => {
		const running = await service();
		expect(() => running.addFault({ kind: 'status', status: 99 })).toThrow(/status/);
		expect(() => running.addFault({ kind: 'delay', delayMs: 1, share: 2 })).toThrow(/share/);
		expect(running.faults).toEqual([]);
	});
});
