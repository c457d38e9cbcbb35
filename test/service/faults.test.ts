/** To which requests a fault of the local service applies. What each does to them: `integration/actions/unclearOutcomes.test.ts`. */
import { waitFor } from '../../tools/host/waitFor';
import type { Fault, RunningService } from '../../tools/service';
import { callApi, service } from './support';

const list = async (running: RunningService) => callApi(running, 'GET', '/hooks');
const withFault = async (...faults: Fault[]) => {
	const running = await service();
	for (const fault of faults) running.addFault(fault);
	return running;
};
const CUT = /other side closed|fetch failed|ECONNRESET|aborted|closed|terminated/i;

it('An outage cuts connections, refuses new ones, and ends', async () => {
	const running = await withFault({ kind: 'delay', delayMs: 60_000 });
	const cut = expect(list(running)).rejects.toThrow(CUT);
	await waitFor(
		'the request',
		() => running.requests,
		({ length }) => length === 1,
	);
	const outage = running.goDownFor(60_000);
	await cut;
	await expect(list(running)).rejects.toThrow('ECONNREFUSED');
	await outage;
	expect((await list(running)).status).toBe(200);
});

it.each<[string, object, number[]]>([
	['the next N requests, after skipping some', { times: 2, skip: 1 }, [200, 500, 500, 200]],
	['a share of them', { share: 0.25 }, [200, 200, 200, 500, 200, 200, 200, 500]],
	['a path', { match: { path: '/hooks' } }, [500]],
	['any path', { match: { method: 'get', path: '/*o*s' } }, [500]],
	['no other method', { match: { method: 'post' } }, [200]],
	['no longer path', { match: { path: '/hook' } }, [200]],
	['no path below', { match: { path: '/hooks/*' } }, [200]],
	['no path as a regular expression', { match: { path: '/h.oks' } }, [200]],
])('A fault applies to %s: %j', async (_, aim, expected) => {
	const running = await withFault({ kind: 'status', status: 500, ...aim });
	const statuses: number[] = [];
	for (let call = 0; call < expected.length; call++) statuses.push((await list(running)).status);
	expect(statuses).toEqual(expected);
	running.clearFaults();
	expect([running.faults, (await list(running)).status]).toEqual([[], 200]);
});
