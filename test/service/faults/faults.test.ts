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

describe('what a fault does', () => {
	it('status: answers with a status, a body and headers, without doing the work', async () => {
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

	it('status after: does the work although the answer says otherwise', async () => {
		const running = await withFault({ kind: 'status', status: 500, body: 'oops', when: 'after' });
		expect(await create(running)).toMatchObject({ status: 500, text: 'oops' });
		expect(running.hooks()).toHaveLength(1);
	});

	it('delay: waits before the work', async () => {
		const running = await withFault({ kind: 'delay', delayMs: 150 });
		const began = performance.now();
		expect((await list(running)).status).toBe(200);
		// Timers may fire a little early, never much.
		expect(performance.now() - began).toBeGreaterThan(140);
	});

	it('cut: cuts the connection, and the work is not done', async () => {
		const running = await withFault({ kind: 'cut', match: { method: 'POST' } });
		await expect(create(running)).rejects.toThrow();
		expect(running.hooks()).toEqual([]);
		expect(running.requests[0]).toMatchObject({ status: undefined, faults: ['cut'] });
	});

	it('cut after: cuts the connection once the work is done', async () => {
		const running = await withFault({ kind: 'cut', when: 'after' });
		await expect(create(running)).rejects.toThrow();
		expect(running.hooks()).toHaveLength(1);
		expect((await list(running)).json).toHaveLength(1);
	});

	it('drip: does the work, and sends its answer a byte at a time', async () => {
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

	it('half: does the work, announces the whole answer and sends a part of it', async () => {
		const running = await withFault({ kind: 'half' });
		await expect(create(running)).rejects.toThrow(/aborted|closed|terminated|other side/i);
		expect(running.hooks()).toHaveLength(1);
	});

	it('html: answers with a page, by default with status 200', async () => {
		const running = await withFault({ kind: 'html' });
		const answer = await list(running);
		expect(answer).toMatchObject({ status: 200, json: undefined });
		expect(answer.headers['content-type']).toMatch(/^text\/html/);
		expect(answer.text).toMatch(/^<!doctype html>/);
		running.addFault({ kind: 'html', status: 502 });
		expect((await list(running)).status).toBe(502);
	});

	it('brokenJson: does the work, and the JSON stops half-way', async () => {
		const running = await withFault({ kind: 'brokenJson' });
		const answer = await create(running);
		expect(answer).toMatchObject({ status: 200, json: undefined });
		expect(answer.headers['content-type']).toMatch(/^application\/json/);
		expect(answer.text).toMatch(/^{"_id":"hoo_/);
		expect(running.hooks()).toHaveLength(1);
	});

	it('hugeList: a list of as many hooks as asked for, 10,000 unless told otherwise', async () => {
		const running = await withFault({ kind: 'hugeList' });
		expect((await list(running)).json).toHaveLength(10_000);
		running.addFault({ kind: 'hugeList', count: 12 });
		expect((await list(running)).json).toHaveLength(12);
	});

	it('clock: has Date and X-RateLimit-Reset wrong by the same amount, on refusals too', async () => {
		const running = await service({
			switches: { rateLimit: 'sliding', rateLimitWindowMs: 600_000, rateLimitRequests: 1 },
		});
		const hour = 3_600_000;
		running.addFault({ kind: 'clock', skewMs: -hour, times: 2 });
		const answers = [await list(running), await list(running)];
		expect(answers.map(({ status }) => status)).toEqual([200, 429]);
		for (const { headers } of answers) {
			const date = Date.parse(String(headers.date));
			expect(Math.abs(date + hour - Date.now())).toBeLessThan(30_000);
			const untilReset = Date.parse(String(headers['x-ratelimit-reset'])) - date;
			expect(Math.abs(untilReset - 600_000)).toBeLessThan(30_000);
		}
	});

	it('headers: adds and replaces headers', async () => {
		const headers = { 'x-ratelimit-reset': 'soon', 'retry-after': '-1' };
		const running = await withFault({ kind: 'headers', headers });
		expect(await list(running)).toMatchObject({ status: 200, headers });
	});
});

describe('which requests a fault is for', () => {
	const statuses = async (
		fault: Omit<Extract<Fault, { kind: 'status' }>, 'kind' | 'status'>,
		count: number,
	) => {
		const running = await withFault({ ...fault, kind: 'status', status: 500 });
		const answers: number[] = [];
		for (let call = 0; call < count; call++) answers.push((await list(running)).status);
		return { running, answers };
	};

	it('the next one, unless told otherwise', async () => {
		expect((await statuses({}, 3)).answers).toEqual([500, 200, 200]);
	});

	it('the next N, after letting some pass', async () => {
		expect((await statuses({ times: 2, skip: 1 }, 4)).answers).toEqual([200, 500, 500, 200]);
	});

	it('a share, spread evenly, until cleared', async () => {
		const { running, answers } = await statuses({ share: 0.25 }, 8);
		expect(answers).toEqual([200, 200, 200, 500, 200, 200, 200, 500]);
		running.clearFaults();
		expect(running.faults).toEqual([]);
	});

	it('a share, but no more than N times', async () => {
		expect((await statuses({ share: 0.5, times: 1 }, 4)).answers).toEqual([200, 500, 200, 200]);
	});

	it.each([
		[{ method: 'post' }, false],
		[{ method: 'get' }, true],
		[{ path: '/hooks' }, true],
		[{ path: '/hook' }, false],
		[{ path: '/hooks/*' }, false],
		[{ path: '/*' }, true],
		[{ method: 'GET', path: '/schema/people' }, false],
	])('those that match %j', async (match, isHit) => {
		expect((await statuses({ match }, 1)).answers).toEqual([isHit ? 500 : 200]);
	});

	it('not those that are refused anyway: the fault waits for one that would be served', async () => {
		const running = await withFault({ kind: 'status', status: 500 });
		expect((await callApi(running, 'GET', '/hooks', { key: 'wrong' })).status).toBe(401);
		expect((await list(running)).status).toBe(500);
	});

	it('delays and header faults act together with one other fault; the rest waits its turn', async () => {
		const running = await withFault({ kind: 'status', status: 500 });
		running.addFault({ kind: 'headers', headers: { 'x-note': 'yes' } });
		running.addFault({ kind: 'delay', delayMs: 1 });
		running.addFault({ kind: 'html' });
		expect(await list(running)).toMatchObject({ status: 500, headers: { 'x-note': 'yes' } });
		expect(running.requests[0]?.faults.sort()).toEqual(['delay', 'headers', 'status']);
		expect((await list(running)).text).toMatch(/^<!doctype/);
	});

	it('a fault that is none is refused', async () => {
		const running = await service();
		expect(() => running.addFault({ kind: 'status', status: 99 })).toThrow(/status/);
		expect(() => running.addFault({ kind: 'delay', delayMs: 1, share: 2 })).toThrow(/share/);
		expect(running.faults).toEqual([]);
	});

	it('one of several can be taken back', async () => {
		const running = await service();
		const first = running.addFault({ kind: 'html' });
		running.addFault({ kind: 'cut' });
		running.clearFaults(first);
		expect(running.faults.map(({ fault }) => fault.kind)).toEqual(['cut']);
	});
});
