/** Each fault of the local service does to a request what it says, and to no other. */
import type { Fault, RunningService } from '../../tools/service';
import { callApi, service } from './support';

const targetUrl = 'https://n8n.example/webhook/1';
const list = async (running: RunningService) => callApi(running, 'GET', '/hooks');
const create = async (running: RunningService) =>
	callApi(running, 'POST', '/hooks', { body: { targetUrl } });
const withFault = async (...faults: Fault[]) => {
	const running = await service();
	for (const fault of faults) running.addFault(fault);
	return running;
};
const CUT = /other side closed|fetch failed|ECONNRESET|aborted|closed|terminated/i;

describe('The fault', () => {
	it('status responds without processing the request, once, and with when after it processes it', async () => {
		const headers = { 'retry-after': '3' };
		const running = await withFault(
			{ kind: 'status', status: 503, body: 'maintenance', headers },
			{ kind: 'status', status: 500, body: 'oops', when: 'after' },
		);
		expect(await create(running)).toMatchObject({
			status: 503,
			text: 'maintenance',
			headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
		});
		expect(running.hooks()).toEqual([]);
		expect(await create(running)).toMatchObject({ status: 500, text: 'oops' });
		expect(running.hooks()).toHaveLength(1);
		expect((await create(running)).status).toBe(200);
	});

	it.each<Fault>([{ kind: 'cut', when: 'after' }, { kind: 'half' }])(
		'%j processes the request, and cuts the connection',
		async (fault) => {
			const running = await withFault(fault);
			await expect(create(running)).rejects.toThrow(CUT);
			expect(running.hooks()).toHaveLength(1);
		},
	);
});

describe('A fault applies to', () => {
	it.each<[string, object, number[]]>([
		['the next N requests, after skipping some', { times: 2, skip: 1 }, [200, 500, 500, 200]],
		['a path', { match: { path: '/hooks' } }, [500]],
		['a method, in any case', { match: { method: 'get' } }, [500]],
		['no other method', { match: { method: 'post' } }, [200]],
		['no longer path', { match: { path: '/hook' } }, [200]],
	])('%s: %j', async (_, aim, expected) => {
		const running = await withFault({ kind: 'status', status: 500, ...aim });
		const statuses: number[] = [];
		for (let call = 0; call < expected.length; call++) statuses.push((await list(running)).status);
		expect(statuses).toEqual(expected);
		running.clearFaults();
		expect([running.faults, (await list(running)).status]).toEqual([[], 200]);
	});
});
