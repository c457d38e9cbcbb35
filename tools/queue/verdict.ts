/** What became of the events and the actions of a run in queue mode. */
import { readExecutions, type Execution, type N8nClient, type Query } from '../host';
import { NEXT_NODE, TRIGGER_NAME } from '../host/workflows';
import { judge, type Loss, type Run } from '../load/judge';
import { activityIdOf, runsAt } from '../load/runs';
import type { Attempt } from '../load/send';
import type { LoggedRequest, RunningService } from '../service';
import { print } from '../terminal';

/** What became of the executions of a workflow. */
interface Executions {
	/** Events that the node after the trigger has put out. */
	runs: Run[];
	/** The number of executions that succeeded, and that failed in a node. */
	succeeded: number;
	failed: number;
	/** Executions that n8n lost with a worker. */
	lost: Execution[];
	/** Those that n8n has marked as crashed, although a worker may never have had them. */
	crashed: Execution[];
}

/** The activity of an execution; undefined if n8n kept no data. */
const activityOf = ({ outputs, waiting }: Execution): string | undefined =>
	activityIdOf((outputs.get(TRIGGER_NAME) ?? waiting.get(TRIGGER_NAME))?.[0]);

/**
 * Whether n8n has lost an execution with its worker: before any node has run (because the worker closed its database
 * connection first), or later, when it keeps nothing but this error.
 */
const isLost = ({ lastNode, error }: Execution): boolean =>
	lastNode === undefined ||
	error?.message.includes('failed to be processed too many times') === true;

async function executionsIn(query: Query, workflowId: string): Promise<Executions> {
	const found: Executions = { runs: [], succeeded: 0, failed: 0, lost: [], crashed: [] };
	for await (const execution of readExecutions(query, [workflowId])) {
		const { status } = execution;
		found.runs.push(...runsAt(NEXT_NODE, execution));
		if (status === 'success') found.succeeded += 1;
		if (status === 'crashed') found.crashed.push(execution);
		if (status !== 'crashed' && status !== 'error') continue;
		if (isLost(execution)) found.lost.push(execution);
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
}

/** Waits until all executions have finished, and then checks the events, the webhooks and the actions. */
export async function checkQueue(run: QueueRun): Promise<Array<{ what: string; holds: boolean }>> {
	const { query, client, service, attempts, called } = run;
	const { executions } = client;
	const whenIdle = async () => {
		await executions.untilIdle(run.trigger);
		await executions.untilIdle(run.actions);
		return await executionsIn(query, run.trigger);
	};
	const before = await whenIdle();
	const retried = wronglyCrashed(before);
	for (const id of retried) await executions.retry(id);
	const { runs, lost } = await whenIdle();
	// What has been retried must have run.
	const withWorkers = lost.filter(({ id }) => !retried.includes(id));
	const { problems, repeated } = judge(attempts, runs, {
		losses: lossesWith(withWorkers),
		// In doubt, an event runs again, also with the database.
		mayRepeat: true,
	});
	for (const problem of problems.slice(0, 20)) print(`  ${problem}`);
	const events = new Set(attempts.map(({ event }) => event)).size;

	const posts = service.requests.filter(({ method }) => method === 'POST').length;
	const acted = await executionsIn(query, run.actions);
	const overLimitMs = longestTimeOverLimit(service.requests);
	return [
		{
			what: `every event was accepted and ran (${idsIn(before).size} of ${events}; ${retried.length} executions that n8n had marked as crashed were retried; n8n lost ${withWorkers.length} with stopped workers; ${repeated.length} events ran more than once)`,
			holds: problems.length === 0,
		},
		{
			what: `one webhook is registered (${service.hooks().length}), and was once (${posts} times)`,
			holds: service.hooks().length === 1 && posts === 1,
		},
		{
			what: `every action succeeded (${acted.succeeded} for ${called} accepted calls; ${acted.failed} failed; n8n lost ${acted.lost.length} with a worker)`,
			holds: acted.failed === 0 && called > 0 && acted.succeeded + acted.lost.length >= called,
		},
		{
			what: `the rate limit was never exceeded for longer than a window (${Math.round(overLimitMs)} ms)`,
			holds: overLimitMs <= service.switches.rateLimitWindowMs,
		},
	];
}

const idsIn = ({ runs }: Pick<Executions, 'runs'>): ReadonlySet<string | undefined> =>
	new Set(runs.map(({ event }) => event));

/**
 * The accepted executions that n8n wrongly marked as crashed, and whose activity has not run otherwise. A main process
 * does this at its start with every execution that is in the database but not yet in the queue; workers then skip the
 * execution.
 */
function wronglyCrashed({ crashed, runs }: Executions): string[] {
	const ran = idsIn({ runs });
	return crashed
		.filter((execution) => {
			const activity = activityOf(execution);
			return activity !== undefined && !ran.has(activity);
		})
		.map(({ id }) => id);
}

/** What lost executions explain: their own event, or any one if n8n kept no data. Those that name theirs come first. */
function lossesWith(lost: readonly Execution[]): Array<Loss<Attempt>> {
	const activities = lost.map(activityOf);
	const named = activities.filter((activity) => activity !== undefined);
	const unnamed = Array.from({ length: lost.length - named.length }, () => () => true);
	return [
		...named.map(
			(activity) =>
				({ event }: Attempt) =>
					event === activity,
		),
		...unnamed,
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
