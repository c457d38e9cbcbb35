import { quantile } from '../measure/statistics';
import type { BenchHost } from '../n8n/benchHost';
import { activateOurTrigger, type ComparedWorkflow } from '../n8n/comparedWorkflows';
import { row, type BenchRow } from '../report/row';
import type { Scale } from '../scale';
import { withHost, withSender, type Engine, type Sender } from './receivingN8n';

const SENDERS = 200;
const MAX_EVENTS = 100;
const MAX_SECONDS = [0.5, 2, 5];
/** At this rate, not even the longest batch is full. */
const PER_SECOND = 5;
/** With the default engine, a response takes long when nothing is batched. */
const TIMEOUT_MS = 180_000;
const WARM_UP = { forMs: 1_500, concurrency: 20 };

/** What to send: at a steady rate, or from all senders as fast as the responses allow. */
interface Load {
	name: string;
	perSecond?: number;
	forMs: (maxSeconds: number) => number;
	isUnbatchedMeasured: boolean;
}

let rounds = 0;

/** The response times of successful deliveries, in seconds. */
async function measure(
	host: BenchHost,
	sender: Sender,
	{ workflowId, url, secret }: ComparedWorkflow,
	load: { forMs: number; concurrency?: number; perSecond?: number | undefined },
): Promise<number[]> {
	const prefix = `act_response${++rounds}_`;
	const job = {
		...{ url, secret, prefix, redeliveries: 5, timeoutMs: TIMEOUT_MS, concurrency: SENDERS },
		...load,
	};
	const { responseTimes } = await sender.run(job);
	await host.server.client.executions.untilIdle(workflowId);
	return responseTimes.map((ms) => ms / 1000);
}

/** How long senders wait for the response to a batched delivery, compared with one that is not batched. */
async function rowsOf(engine: Engine, { responseBatches, batchMs }: Scale): Promise<BenchRow[]> {
	const loads: Load[] = [
		{
			name: `${PER_SECOND} events per second`,
			perSecond: PER_SECOND,
			forMs: (maxSeconds) => Math.max(4, responseBatches * maxSeconds) * 1000,
			isUnbatchedMeasured: true,
		},
		{ name: `${SENDERS} senders`, forMs: () => batchMs, isUnbatchedMeasured: false },
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
			for (const { workflow } of variants) await measure(host, sender, workflow, WARM_UP);
			const rows: BenchRow[] = [];
			for (const { name: loadName, perSecond, forMs, isUnbatchedMeasured } of loads) {
				const topic = `Response times, ${loadName}, ${engine} expression engine`;
				for (const { name, maxSeconds, workflow } of variants) {
					if (maxSeconds === 0 && !isUnbatchedMeasured) continue;
					const load = { forMs: forMs(maxSeconds), perSecond };
					const times = await measure(host, sender, workflow, load);
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
