import type { Client } from 'pg';

/**
 * n8n can lose an execution with its worker: before any node has run (because the worker closed its database connection
 * first), or later, when it keeps nothing but this error.
 */
const LOST = `(d.data not like '%"lastNodeExecuted"%' or d.data like '%failed to be processed too many times%')`;

/** The activities of an execution: several in a batch. */
const ACTIVITIES = `array(select distinct m[1] from regexp_matches(d.data, 'act_[A-Za-z0-9]+', 'g') m)`;

/** The executions that n8n lost with a worker, and the activities of each; none if n8n kept no data. */
export async function lostWithWorker(
	database: Client,
	workflowId: string,
): Promise<Array<{ id: string; activities: string[] }>> {
	const { rows } = await database.query<{ id: string; activities: string[] }>(
		`select e.id::text as id, ${ACTIVITIES} as activities
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status in ('error', 'crashed') and ${LOST}`,
		[workflowId],
	);
	return rows;
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
 * The IDs of accepted executions that n8n wrongly marked as crashed, and of whose activities one has not run otherwise. A main
 * process does this at its start with every execution that is in the database but not yet in the queue; workers then
 * skip the execution.
 */
export async function wronglyCrashed(
	database: Client,
	workflowId: string,
	runs: ReadonlyMap<string, number>,
): Promise<string[]> {
	const { rows } = await database.query<{ id: string; activities: string[] }>(
		`select e.id::text as id, ${ACTIVITIES} as activities
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status = 'crashed'`,
		[workflowId],
	);
	const isMissing = (activity: string) => !runs.has(activity);
	return rows.filter(({ activities }) => activities.some(isMissing)).map(({ id }) => id);
}

/**
 * The number of successful executions of each activity, from n8n's database. Executions that ended at the trigger, because
 * the activity was a duplicate, hold no activity.
 */
export async function runsOf(database: Client, workflowId: string): Promise<Map<string, number>> {
	const { rows } = await database.query<{ activity: string; runs: string }>(
		`select unnest(${ACTIVITIES}) as activity, count(*) as runs
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status = 'success'
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
