import type { OutreachHost } from '../host';
import { NEXT_NODE } from '../host/workflows';
import { mixed, newIds, type Delivery } from '../load/events';
import { judge, type Run } from '../load/judge';
import { inSqlite, newestExecution, readExecutions, runsAt } from '../load/runs';
import { isAccepted, send, senderTo } from '../load/send';
import { cpuTimeMs } from './processors';
import type { ComparedWorkflow } from './workflows';

/** What to send in a round. */
export interface Load {
	/** How long to send new activities, in milliseconds. */
	forMs: number;
	/** How many senders there are, each with one delivery at a time. */
	senders: number;
	/** Sends forged deliveries, which must be refused. */
	isForged?: boolean;
}

/** The outcome of a round. */
export interface Round {
	/** Distinct events that reached the last node per second, from the first delivery to the end of the last execution. */
	perSecond: number;
	/** Deliveries refused with 401 per second. */
	refusedPerSecond: number;
	executions: number;
	events: number;
	/** n8n's CPU time for each event, in milliseconds. */
	cpuMs: number;
	/** Accepted events that did not run, or that ran more than once, and accepted forgeries. */
	lost: number;
	repeated: number;
	accepted: number;
	/** How long each successful response took, in seconds. */
	responseSeconds: number[];
}

/** In a burst with the default expression engine, a response takes long when nothing is batched. */
const TIMEOUT_MS = 180_000;

let rounds = 0;

function* forged(deliveries: Iterable<Delivery>): Generator<Delivery> {
	for (const delivery of deliveries) yield { ...delivery, isForged: true };
}

/** Sends new activities, waits until n8n has finished, and reads which of them ran. */
export async function measureRound(
	host: OutreachHost,
	{ workflowId, url, secret, headers }: ComparedWorkflow,
	{ forMs, senders, isForged = false }: Load,
): Promise<Round> {
	const query = inSqlite(host);
	const lastExecution = await newestExecution(query);
	const { deliver, close } = senderTo({
		...{ url, secret, headers, timeoutMs: TIMEOUT_MS },
		...{ redeliveries: 5, connections: senders },
	});
	const events = mixed(newIds(`act_round${++rounds}_`), {});
	const pid = host.server.pid();
	const cpuBefore = await cpuTimeMs(pid);
	const attempts = await send(isForged ? forged(events) : events, deliver, {
		...{ forMs, concurrency: senders },
	});
	await host.server.client.executions.untilIdle(workflowId);
	const cpuMs = (await cpuTimeMs(pid)) - cpuBefore;
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
		perSecond: ran === 0 ? 0 : (ran * 1000) / (lastStoppedAt - began),
		refusedPerSecond: (refused * 1000) / (ended - began),
		...{ executions, events: ran, lost: lost.length, repeated: repeated.length },
		cpuMs: cpuMs / Math.max(1, isForged ? refused : ran),
		accepted: accepted.length,
		responseSeconds: accepted.map(({ from, until }) => (until - from) / 1000),
	};
}
