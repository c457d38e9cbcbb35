import type { Client } from 'pg';

/**
 * n8n can lose an execution with its worker: before any node has run (because the worker closed its database connection
 * first), or later, when it keeps nothing but this error.
 */
const LOST = `(d.data not like '%"lastNodeExecuted"%' or d.data like '%failed to be processed too many times%')`;

/** The activity of each execution that n8n lost with a worker; null if n8n kept no data. */
export async function lostWithWorker(
	database: Client,
	workflowId: string,
): Promise<Array<string | null>> {
	const { rows } = await database.query<{ activity: string | null }>(
		`select substring(d.data from 'act_[A-Za-z0-9]+') as activity
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status in ('error', 'crashed') and ${LOST}`,
		[workflowId],
	);
	return rows.map(({ activity }) => activity);
}

/** The number of executions that failed in a node. */
export async function failedInNode(database: Client, workflowId: string): Promise<number> {
	const { rows } = await database.query<{ count: string }>(
		`select count(*)
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status in ('error', 'crashed') and not ${LOST}`,
		[workflowId],
	);
	return Number(rows[0]?.count ?? 0);
}

/**
 * The IDs of accepted executions that n8n wrongly marked as crashed, and whose activity has not run otherwise. A main
 * process does this at its start with every execution that is in the database but not yet in the queue; workers then
 * skip the execution.
 */
export async function wronglyCrashed(
	database: Client,
	workflowId: string,
	runs: ReadonlyMap<string, number>,
): Promise<string[]> {
	const { rows } = await database.query<{ id: string; activity: string }>(
		`select e.id::text as id, substring(d.data from 'act_[A-Za-z0-9]+') as activity
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status = 'crashed'`,
		[workflowId],
	);
	return rows.filter(({ activity }) => !runs.has(activity)).map(({ id }) => id);
}

/**
 * The number of successful executions of each activity, from n8n's database. Executions that ended at the trigger, because
 * the activity was a duplicate, hold no activity.
 */
export async function runsOf(database: Client, workflowId: string): Promise<Map<string, number>> {
	const { rows } = await database.query<{ activity: string; runs: string }>(
		`select substring(d.data from 'act_[A-Za-z0-9]+') as activity, count(*) as runs
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status = 'success' and d.data ~ 'act_[A-Za-z0-9]'
		  group by 1`,
		[workflowId],
	);
	return new Map(rows.map(({ activity, runs }) => [activity, Number(runs)]));
}

/** The number of executions in progress. */
export async function unfinished(database: Client, workflowId: string): Promise<number> {
	const { rows } = await database.query<{ count: string }>(
		`select count(*) from execution_entity where "workflowId" = $1 and status in ('new', 'running', 'waiting')`,
		[workflowId],
	);
	return Number(rows[0]?.count ?? 0);
}

/** The number of executions by status. */
export async function statusCounts(
	database: Client,
	workflowId: string,
): Promise<Record<string, number>> {
	const { rows } = await database.query<{ status: string; count: string }>(
		`select status, count(*) from execution_entity where "workflowId" = $1 group by 1`,
		[workflowId],
	);
	return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}
