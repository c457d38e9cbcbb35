import { inSqlite, type OutreachHost } from '../host';
import { NEXT_NODE } from '../host/workflows';
import { mixed, newIds, type Delivery } from '../load/events';
import { judge, type Run } from '../load/judge';
import { newestExecution, readExecutions, runsAt } from '../load/runs';
import { isAccepted, send, senderTo } from '../load/send';
import type { ComparedWorkflow } from './workflows';

/** What to send in a round. */
export interface Load {
	/** How long to send new activities, in milliseconds. */
	forMs: number;
	/** How many senders there are, each with one delivery at a time. */
	senders: number;
}

/** The outcome of a round. */
export type Round = Awaited<ReturnType<typeof measureRound>>;

/** In a burst with the default expression engine, a response takes long when nothing is batched. */
const TIMEOUT_MS = 180_000;

let rounds = 0;

function* forged(deliveries: Iterable<Delivery>): Generator<Delivery> {
	for (const delivery of deliveries) yield { ...delivery, isForged: true };
}

/** Sends new activities, waits until n8n has finished, and reads which of them ran. */
export async function measureRound(
	host: OutreachHost,
	{ workflowId, url, secret, headers, isForged = false }: ComparedWorkflow,
	{ forMs, senders }: Load,
) {
	const query = inSqlite(host);
	const lastExecution = await newestExecution(query);
	const { deliver, close } = senderTo({
		url,
		secret,
		headers,
		timeoutMs: TIMEOUT_MS,
		redeliveries: 5,
		connections: senders,
	});
	const events = mixed(newIds(`act_round${++rounds}_`), {});
	const attempts = await send(isForged ? forged(events) : events, deliver, {
		forMs,
		concurrency: senders,
	});
	await host.server.client.executions.untilIdle(workflowId);
	await close();

	const runs: Run[] = [];
	let lastStoppedAt = 0;
	let executions = 0;
	for await (const execution of readExecutions(query, [workflowId], lastExecution)) {
		executions += 1;
		lastStoppedAt = Math.max(lastStoppedAt, execution.stoppedAt ?? 0);
		runs.push(...runsAt(NEXT_NODE, execution));
	}
	const { lost, repeated } = judge(attempts, runs, { mayBeRefused: true });
	const began = Math.min(...attempts.map(({ from }) => from));
	const ended = Math.max(...attempts.map(({ until }) => until));
	const ran = new Set(runs.map(({ event }) => event)).size;
	const refused = attempts.filter(({ status }) => status === 401).length;
	const accepted = attempts.filter(isAccepted);
	return {
		/** Distinct events that reached the last node per second, from the first delivery to the end of the last execution. */
		perSecond: ran === 0 ? 0 : (ran * 1000) / (lastStoppedAt - began),
		/** Deliveries refused with 401 per second. */
		refusedPerSecond: (refused * 1000) / (ended - began),
		/** Executions, for whatever reason, and the events in each. */
		executions,
		perExecution: ran / executions,
		/** Accepted events that did not run, or that ran more than once; accepted deliveries, forged ones among them. */
		lost: lost.length,
		repeated: repeated.length,
		accepted: accepted.length,
	};
}
