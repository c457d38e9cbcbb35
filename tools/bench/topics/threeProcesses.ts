import { installN8n } from '../../host';
import { startService } from '../../service';
import { startCoreWorker } from '../core/startWorker';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { idealSeconds } from './deletions';

const PROCESSES = 3;

/**
 * Deletions in three concurrent processes with one key. Like n8n's workers, the processes are independent: the service
 * rejects some requests, and each process must back off and retry.
 */
export async function threeProcessRows({ deletionsOfThree, quick }: Scale): Promise<BenchRow[]> {
	const installation = await installN8n();
	const service = await startService();
	const workers = Array.from({ length: PROCESSES }, () => startCoreWorker(installation));
	const { baseUrl, apiKey } = service;
	const base = { node: 'our node', n8nFolder: installation.folder, baseUrl, apiKey } as const;
	const run = async (deletions: number) => {
		const jobs = workers.map((worker) => {
			const deleteIds = Array.from(
				{ length: deletions },
				(_, index) => service.addHook({ targetUrl: `https://r.example/${index}` })._id,
			);
			return worker.run({ ...base, deleteIds });
		});
		return Promise.all(jobs);
	};
	try {
		await run(1);
		await new Promise((resolve) => setTimeout(resolve, 2_500));
		const refusedBefore = service.stats().refused;
		const startedAt = performance.now();
		const results = await run(deletionsOfThree);
		const seconds = (performance.now() - startedAt) / 1000;

		const topic = `${PROCESSES} × ${deletionsOfThree} deletions, three processes at once`;
		const ideal = idealSeconds(PROCESSES * deletionsOfThree);
		const none = { atMost: 0 };
		const name = (figure: string) => `our node: ${figure}`;
		const time = {
			...{ topic, name: name(`time ÷ ideal ${ideal} s`), unit: '×' },
			target: quick ? undefined : { atMost: 1.25 },
		};
		return [
			row({ topic, name: name('time'), unit: 's' }, [seconds]),
			row(time, [seconds / ideal]),
			row({ topic, name: name('rejected and retried'), unit: 'requests' }, [
				service.stats().refused - refusedBefore,
			]),
			row({ topic, name: name('not deleted'), unit: 'webhooks', target: none }, [
				service.hooks().length,
			]),
			row({ topic, name: name('failed'), unit: 'executions', target: none }, [
				results.filter(({ error }) => error !== undefined).length,
			]),
		];
	} finally {
		await Promise.all(workers.map((worker) => worker.end()));
		await service.close();
	}
}
