import type { Client } from 'pg';
import { waitFor, type N8nClient } from '../host';
import type { LoggedRequest, RunningService } from '../service';
import {
	statusCounts,
	failedInNode,
	lostWithWorker,
	runsOf,
	wronglyCrashed,
	unfinished,
} from './executions';
import { attribute } from './lostEvents';

interface TestRun {
	database: Client;
	client: N8nClient;
	service: RunningService;
	/** The workflow that the events start. */
	trigger: { id: string };
	/** The workflow that uses the action node. */
	actions: { id: string };
	sent: ReadonlyArray<{ _id: string }>;
	summary: { failed: number };
	/** The number of accepted calls of the action workflow. */
	called: number;
	/** How many events an execution has, at most. */
	eventsPerRun: number;
	/** Whether workers were stopped, with which n8n may lose executions. */
	stopsWorkers: boolean;
	/** Whether an event may reach the node after the trigger more than once. */
	mayRepeat: boolean;
}

/** Waits until all executions have finished, and then checks the events, the webhooks and the actions. */
export async function judge(
	testRun: TestRun,
	check: (what: string, holds: boolean) => void,
	print: (line: string) => void,
): Promise<void> {
	const { database, client, service, trigger, actions, sent, summary, called } = testRun;
	const { eventsPerRun, mayRepeat, stopsWorkers } = testRun;
	const beforeRetry = await finishedRuns(testRun);
	print(`Executions: ${JSON.stringify(await statusCounts(database, trigger.id))}`);
	const crashed = await wronglyCrashed(database, trigger.id, beforeRetry.runs);
	for (const id of crashed) await client.executions.retry(id);
	const { runs, ran } = await finishedRuns(testRun);
	const missing = new Set(sent.map(({ _id }) => _id).filter((id) => !runs.has(id)));
	// What has been retried must have run.
	const lostRuns = (await lostWithWorker(database, trigger.id)).filter(
		({ id }) => stopsWorkers && !crashed.includes(id),
	);
	const { lost, unexplained } = attribute(missing, lostRuns, eventsPerRun);

	check(`every event was accepted (${summary.failed} were not)`, summary.failed === 0);
	check(
		`every event ran (${beforeRetry.ran} of ${sent.length}; ${ran - beforeRetry.ran} more after a retry of ${crashed.length} executions that n8n had marked as crashed; n8n lost ${lost} with ${lostRuns.length} executions of stopped workers; ${unexplained} are missing)`,
		unexplained === 0,
	);
	const repeated = [...runs.values()].filter((count) => count > 1).length;
	const share = `${repeated} (${((repeated / sent.length) * 100).toFixed(2)} %)`;
	if (mayRepeat) print(`  ran more than once: ${share}`);
	else
		check(`no event reached the node after the trigger more than once: ${share}`, repeated === 0);
	check(`one webhook is registered (${service.hooks().length})`, service.hooks().length === 1);
	const posts = service.requests.filter(({ method }) => method === 'POST').length;
	check(`it was registered once (${posts} times)`, posts === 1);

	const failed = await failedInNode(database, actions.id);
	const lostActions = await lostWithWorker(database, actions.id);
	const { success: succeeded = 0 } = await statusCounts(database, actions.id);
	check(
		`every action succeeded (${succeeded} for ${called} accepted calls; ${failed} failed; n8n lost ${lostActions.length} with a worker)`,
		failed === 0 && called > 0 && succeeded + lostActions.length >= called,
	);
	const overLimitMs = longestTimeOverLimit(service.requests);
	const windowMs = service.switches.rateLimitWindowMs;
	check(
		`the rate limit was never exceeded for longer than a window (${Math.round(overLimitMs)} ms)`,
		overLimitMs <= windowMs,
	);
}

/**
 * Waits until no execution is in progress.
 *
 * @returns how often each activity ran, and how many activities ran
 */
async function finishedRuns({ database, trigger, actions, sent }: TestRun) {
	await waitFor(
		'all executions to finish',
		async () => (await unfinished(database, trigger.id)) + (await unfinished(database, actions.id)),
		(open) => open === 0,
		{ timeoutMs: 300_000, everyMs: 1_000 },
	);
	const runs = await runsOf(database, trigger.id);
	return { runs, ran: sent.filter(({ _id }) => runs.has(_id)).length };
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
