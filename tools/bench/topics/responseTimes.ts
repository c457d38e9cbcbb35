import { quantile } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import { activateOurTrigger, type ComparedWorkflow } from '../n8n/comparedWorkflows';
import { waitUntilIdle } from '../n8n/executionsInDatabase';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { withHost, withSender, type Engine, type Sender } from './receivingN8n';

const SENDERS = 200;
const MAX_EVENTS = 100;
const MAX_SECONDS = [0.5, 2, 5];
/** At this rate, not even the longest batch is full. */
const PER_SECOND = 10;

/** How long to send: at a steady rate, or from all senders as fast as the responses allow. */
interface Load {
	name: string;
	perSecond?: number;
	forMs: (maxSeconds: number) => number;
}

let rounds = 0;

/** The response times of successful deliveries, in seconds. */
async function measure(
	host: BenchHost,
	sender: Sender,
	{ workflowId, url, secret }: ComparedWorkflow,
	forMs: number,
	perSecond?: number,
): Promise<number[]> {
	const prefix = `act_response${++rounds}_`;
	const job = { url, secret, forMs, concurrency: SENDERS, perSecond, prefix, redeliveries: 5 };
	const { responseTimes } = await sender.run(job);
	await waitUntilIdle(host, workflowId);
	return responseTimes.map((ms) => ms / 1000);
}

/** How long senders wait for the response to a batched delivery, compared with one that is not batched. */
async function rowsOf(engine: Engine, { responseBatches, batchMs }: Scale): Promise<BenchRow[]> {
	const loads: Load[] = [
		{
			name: `${PER_SECOND} events per second`,
			perSecond: PER_SECOND,
			forMs: (maxSeconds) => Math.max(3, responseBatches * maxSeconds) * 1000,
		},
		{ name: `${SENDERS} senders`, forMs: () => batchMs },
	];
	return await withHost(engine, async (host) => {
		const variants = [
			{ name: 'unbatched', maxSeconds: 0, workflow: await activateOurTrigger(host) },
		];
		for (const maxSeconds of MAX_SECONDS) {
			const batch = { values: { maxEvents: MAX_EVENTS, maxSeconds } };
			const workflow = await activateOurTrigger(host, { batch });
			variants.push({ name: `${MAX_EVENTS} events or ${maxSeconds} s`, maxSeconds, workflow });
		}
		return await withSender(host, async (sender) => {
			for (const { workflow } of variants) await measure(host, sender, workflow, 500);
			const rows: BenchRow[] = [];
			for (const { name: load, perSecond, forMs } of loads) {
				const topic = `Response times, ${load}, ${engine} expression engine`;
				for (const { name, maxSeconds, workflow } of variants) {
					const times = await measure(host, sender, workflow, forMs(maxSeconds), perSecond);
					rows.push(
						row({ topic, name: `${name}: p50`, unit: 's' }, [quantile(times, 0.5)]),
						row({ topic, name: `${name}: p99`, unit: 's' }, [quantile(times, 0.99)]),
					);
				}
			}
			return rows;
		});
	});
}

export const responseTimeRows = (engine: Engine) => (scale: Scale) => rowsOf(engine, scale);
