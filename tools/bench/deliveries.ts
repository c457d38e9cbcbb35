import { Agent, request } from 'undici';
import { inSqlite, readExecutions, type OutreachHost } from '../host';
import { NEXT_NODE } from '../host/workflows';
import { judge, type Run } from '../load/judge';
import { runsAt } from '../load/runs';
import { isAccepted, newActivityId, send, type Attempt } from '../load/send';
import { sampleActivity } from '../service';
import { compare, type Scale } from './compare';
import {
	activateChain,
	activateOurTrigger,
	activateWebhookNodeWithAuth,
	type Receiving,
} from './workflows';

/** What to send in a round. */
interface Load {
	/** How long to send new activities, in milliseconds. */
	forMs: number;
	/** How many senders there are, each with one delivery at a time. */
	senders: number;
	isForged?: boolean;
}

/** In a burst with the default expression engine, a response takes long when nothing is batched. */
const TIMEOUT_MS = 180_000;

function* newIds(forMs: number): Generator<string> {
	const end = performance.now() + forMs;
	while (performance.now() < end) yield newActivityId();
}

/** With a text, so that a delivery has the typical 2 KB. */
const ACTIVITY = {
	...sampleActivity('emailsReplied'),
	text: 'Thank you for your reply. '.repeat(56),
};
/** As long as a real one. */
const WRONG_SECRET = 'f'.repeat(64);

/** Delivers an activity once, as the service does (§6.6), through connections of the caller. */
async function deliver(
	{ url, headers, secret }: Pick<Receiving, 'url' | 'headers' | 'secret'>,
	id: string,
	isForged: boolean,
	dispatcher: Agent,
): Promise<Attempt> {
	const from = Date.now();
	let status: number | undefined;
	try {
		const response = await request(url, {
			method: 'POST',
			body: JSON.stringify({ ...ACTIVITY, _id: id, secret: isForged ? WRONG_SECRET : secret }),
			dispatcher,
			headers: { ...headers, 'content-type': 'application/json' },
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		await response.body.dump();
		status = response.statusCode;
	} catch {
		// No response is an outcome like any other.
	}
	return { event: id, isForged, from, until: Date.now(), status };
}

/** The ID of the last execution of a workflow that an earlier round has read. */
const lastRead = new Map<string, number>();

/** Sends new activities, waits until n8n has finished, and reads which of them ran. */
async function measure(
	host: OutreachHost,
	{ workflowId, ...receiver }: Receiving,
	{ forMs, senders, isForged = false }: Load,
) {
	const connections = new Agent({ connections: senders });
	const attempts = await send(
		newIds(forMs),
		async (id) => [await deliver(receiver, id, isForged, connections)],
		senders,
	);
	await host.server.client.executions.untilIdle(workflowId);
	await connections.destroy();

	const runs: Run[] = [];
	let lastStoppedAt = 0;
	let executions = 0;
	const after = lastRead.get(workflowId);
	for await (const execution of readExecutions(inSqlite(host), [workflowId], after)) {
		executions += 1;
		lastStoppedAt = Math.max(lastStoppedAt, execution.stoppedAt ?? 0);
		runs.push(...runsAt(NEXT_NODE, execution));
		lastRead.set(workflowId, Number(execution.id));
	}
	const { lost, repeated } = judge(attempts, runs, { mayBeRefused: true });
	const began = Math.min(...attempts.map(({ from }) => from));
	const ended = Math.max(...attempts.map(({ until }) => until));
	const ran = new Set(runs.map(({ event }) => event)).size;
	const refused = attempts.filter(({ status }) => status === 401).length;
	return {
		/** Events that reached the last node, from the first delivery to the end of the last execution. */
		perSecond: (ran * 1000) / Math.max(1, lastStoppedAt - began),
		refusedPerSecond: (refused * 1000) / (ended - began),
		/** Accepted events that did not run, or that ran more than once. */
		lost: lost.length,
		repeated: repeated.length,
		/** Deliveries with a 2xx, and executions, for whatever reason. */
		accepted: attempts.filter(isAccepted).length + executions,
	};
}

const SENDERS = 30;

/** Completed executions per second and lost events, of our trigger and of what people use without it. */
export async function deliveries(
	host: OutreachHost,
	{ rounds, deliveryMs }: Scale,
): Promise<string[]> {
	const variant = (name: string, receiving: Receiving) => ({
		name,
		measure: async () => {
			const load = { forMs: deliveryMs, senders: SENDERS };
			const { perSecond, lost, repeated } = await measure(host, receiving, load);
			return { 'per second': perSecond, lost, repeated };
		},
	});
	const ours = {
		...variant('our trigger', await activateOurTrigger(host)),
		atMost: { lost: 0, repeated: 0 },
	};
	const withAuth = variant('Webhook node, Header Auth', await activateWebhookNodeWithAuth(host));
	const first = await compare('Events per second', [ours, withAuth], rounds);
	// On its own: it evaluates expressions, each of its executions takes four times as long, and it leaves n8n slower for
	// whoever follows.
	const filtering = variant(
		'Webhook node, secret check, Remove Duplicates',
		await activateChain(host),
	);
	const second = await compare('Events per second, filtered', [ours, filtering], rounds);
	return [...first.problems, ...second.problems];
}

const BURST_SENDERS = 200;
const BATCH = { maxEvents: 100, maxSeconds: 1 };

/**
 * A burst from many senders to our trigger with Batch, and forged, so that our trigger refuses each delivery. A refusal is
 * the least that a trigger can do with a delivery, so its speed is that of n8n's own route.
 */
export async function bursts(host: OutreachHost, { rounds, deliveryMs }: Scale): Promise<string[]> {
	const receiving = await activateOurTrigger(host, { batch: { values: BATCH } });
	const load = { forMs: 2 * deliveryMs, senders: BURST_SENDERS };
	const batched = {
		name: `in batches of ${BATCH.maxEvents} events or ${BATCH.maxSeconds} s`,
		measure: async () => {
			const { perSecond, lost, repeated } = await measure(host, receiving, load);
			return { 'per second': perSecond, lost, repeated };
		},
		atMost: { lost: 0, repeated: 0 },
	};
	const forged = {
		name: 'refused with 401',
		measure: async () => {
			const round = await measure(host, receiving, { ...load, isForged: true });
			return { 'per second': round.refusedPerSecond, 'accepted, or ran': round.accepted };
		},
		atMost: { 'accepted, or ran': 0 },
	};
	const title = `A burst from ${BURST_SENDERS} senders`;
	return (await compare(title, [batched, forged], rounds)).problems;
}
