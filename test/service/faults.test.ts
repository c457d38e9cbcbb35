/** To which requests a fault of the local service applies. What each does to them: `integration/actions/unclearOutcomes.test.ts`. */
import type { Fault, RunningService } from '../../tools/service';
import { callApi, service } from './support';

const list = async (running: RunningService) => callApi(running, 'GET', '/hooks');
const withFault = async (...faults: Fault[]) => {
	const running = await service();
	for (const fault of faults) running.addFault(fault);
	return running;
};

it.each<[string, object, number[]]>([
	['the next N requests, after skipping some', { times: 2, skip: 1 }, [200, 500, 500, 200]],
	['a path', { match: { path: '/hooks' } }, [500]],
	['a method, in any case', { match: { method: 'get' } }, [500]],
	['no other method', { match: { method: 'post' } }, [200]],
	['no longer path', { match: { path: '/hook' } }, [200]],
])('A fault applies to %s: %j', async (_, aim, expected) => {
	const running = await withFault({ kind: 'status', status: 500, ...aim });
	const statuses: number[] = [];
	for (let call = 0; call < expected.length; call++) statuses.push((await list(running)).status);
	expect(statuses).toEqual(expected);
	running.clearFaults();
	expect([running.faults, (await list(running)).status]).toEqual([[], 200]);
});
