/** What became of the events and the actions of a run in queue mode. */
import type { N8nClient } from '../host';
import { NEXT_NODE, TRIGGER_NAME } from '../host/workflows';
import { judge, type Loss, type Run } from '../load/judge';
import { activityIdOf, readExecutions, runsAt, type Execution, type Query } from '../load/runs';
import type { Attempt } from '../load/send';
import type { LoggedRequest, RunningService } from '../service';
import { print } from '../terminal';

/** What became of the executions of a workflow. */
interface Executions {
	/** Events that the node after the trigger has put out. */
	runs: Run[];
	/** The number of executions by status. */
	statuses: Record<string, number>;
	/** The number of executions that failed in a node. */
	failed: number;
	/** Executions that n8n lost with a worker, with the activities that they had; none if n8n kept no data. */
	lost: Array<{ id: string; activities: string[] }>;
	/** Those that n8n has marked as crashed, although a worker may never have had them. */
	crashed: Array<{ id: string; activities: string[] }>;
}

const activitiesOf = ({ outputs, waiting }: Execution): string[] =>
	(outputs.get(TRIGGER_NAME) ?? waiting.get(TRIGGER_NAME) ?? []).flatMap(
		(item) => activityIdOf(item) ?? [],
	);

/**
 * Whether n8n has lost an execution with its worker: before any node has run (because the worker closed its database
 * connection first), or later, when it keeps nothing but this error.
 */
const isLost = ({ lastNode, error }: Execution): boolean =>
	lastNode === undefined || error?.includes('failed to be processed too many times') === true;

async function executionsIn(query: Query, workflowId: string): Promise<Executions> {
	const found: Executions = { runs: [], statuses: {}, failed: 0, lost: [], crashed: [] };
	for await (const execution of readExecutions(query, [workflowId])) {
		const { id, status } = execution;
		found.statuses[status] = (found.statuses[status] ?? 0) + 1;
		found.runs.push(...runsAt(NEXT_NODE, execution));
		const described = { id, activities: activitiesOf(execution) };
		if (status === 'crashed') found.crashed.push(described);
		if (status !== 'crashed' && status !== 'error') continue;
		if (isLost(execution)) found.lost.push(described);
		else found.failed += 1;
	}
	return found;
}

interface QueueRun {
	query: Query;
	client: N8nClient;
	service: RunningService;
	/** The IDs of the workflows: the one that events start, and the one that uses the action node. */
	trigger: string;
	actions: string;
	attempts: readonly Attempt[];
	/** The number of accepted calls of the action workflow. */
	called: number;
	/** How many events an execution has, at most. */
	eventsPerRun: number;
}

const IDLE_TIMEOUT_MS = 300_000;

/** Waits until all executions have finished, and then checks the events, the webhooks and the actions. */
export async function checkQueue(run: QueueRun): Promise<Array<{ what: string; holds: boolean }>> {
	const { query, client, service, attempts, called, eventsPerRun } = run;
	const { executions } = client;
	const whenIdle = async () => {
		await executions.untilIdle(run.trigger, { timeoutMs: IDLE_TIMEOUT_MS });
		await executions.untilIdle(run.actions, { timeoutMs: IDLE_TIMEOUT_MS });
		return await executionsIn(query, run.trigger);
	};
	const before = await whenIdle();
	print(`Executions: ${JSON.stringify(before.statuses)}`);
	const retried = wronglyCrashed(before);
	for (const id of retried) await executions.retry(id);
	const { runs, lost } = await whenIdle();
	// What has been retried must have run.
	const withWorkers = lost.filter(({ id }) => !retried.includes(id));
	const { problems, excused, repeated } = judge(attempts, runs, {
		// Which webhook process received an event is not known; and in doubt, an event runs again, also with the database.
		memories: () => [],
		losses: lossesWith(withWorkers, eventsPerRun),
	});
	for (const problem of problems.slice(0, 20)) print(`  ${problem}`);
	const events = new Set(attempts.map(({ event }) => event)).size;
	const share = ((repeated.length / events) * 100).toFixed(2);

	const posts = service.requests.filter(({ method }) => method === 'POST').length;
	const acted = await executionsIn(query, run.actions);
	const { success: succeeded = 0 } = acted.statuses;
	const overLimitMs = longestTimeOverLimit(service.requests);
	return [
		{
			what: `every event was accepted and ran (${runsIn(before)} of ${events}; ${retried.length} executions that n8n had marked as crashed were retried; n8n lost ${excused} events with ${withWorkers.length} executions of stopped workers; ran more than once: ${repeated.length}, ${share} %)`,
			holds: problems.length === 0,
		},
		{
			what: `one webhook is registered (${service.hooks().length}), and was once (${posts} times)`,
			holds: service.hooks().length === 1 && posts === 1,
		},
		{
			what: `every action succeeded (${succeeded} for ${called} accepted calls; ${acted.failed} failed; n8n lost ${acted.lost.length} with a worker)`,
			holds: acted.failed === 0 && called > 0 && succeeded + acted.lost.length >= called,
		},
		{
			what: `the rate limit was never exceeded for longer than a window (${Math.round(overLimitMs)} ms)`,
			holds: overLimitMs <= service.switches.rateLimitWindowMs,
		},
	];
}

const runsIn = ({ runs }: Executions) => new Set(runs.map(({ event }) => event)).size;

/**
 * The accepted executions that n8n wrongly marked as crashed, and of whose activities one has not run otherwise. A main
 * process does this at its start with every execution that is in the database but not yet in the queue; workers then
 * skip the execution.
 */
function wronglyCrashed({ crashed, runs }: Executions): string[] {
	const ran = new Set(runs.map(({ event }) => event));
	return crashed
		.filter(({ activities }) => activities.some((activity) => !ran.has(activity)))
		.map(({ id }) => id);
}

/** What lost executions explain: their own events, or if n8n kept no data, as many as an execution can have. */
function lossesWith(
	lost: ReadonlyArray<{ activities: readonly string[] }>,
	eventsPerRun: number,
): Array<Loss<Pick<Attempt, 'event'>>> {
	const named = lost.filter(({ activities }) => activities.length > 0);
	return [
		...named.map(({ activities }) => ({
			room: activities.length,
			holds: ({ event }: Pick<Attempt, 'event'>) => activities.includes(event),
		})),
		...Array.from({ length: lost.length - named.length }, () => ({
			room: eventsPerRun,
			holds: () => true,
		})),
	];
}

/** The longest time, in milliseconds, in which the service rejected every request because of the limit. */
function longestTimeOverLimit(requests: readonly LoggedRequest[]): number {
	let longest = 0;
	let began: number | undefined;
	for (const { at, status } of requests) {
		if (status === 429) {
			began ??= at;
			longest = Math.max(longest, at - began);
		} else began = undefined;
	}
	return longest;
}
