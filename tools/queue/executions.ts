import type { Client } from 'pg';

/**
 * n8n loses an execution with the worker that had it: before a node of it ran (the worker closed its database first),
 * or in the middle, and then nothing is kept but this error.
 */
const LOST = `(d.data not like '%"lastNodeExecuted"%' or d.data like '%failed to be processed too many times%')`;

/** The activity of each execution that n8n lost with a worker; null where n8n kept nothing of it. */
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

/** How many executions failed in a node. */
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
 * The executions that n8n marked as crashed though it had acknowledged their activity, which never ran otherwise.
 * When a main process starts, it does so with every execution that is in the database and not yet in the queue; a
 * worker then passes over it.
 */
export async function takenForCrashed(
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

/** How often each activity ran to its end, read from n8n's own database. */
export async function runsOf(database: Client, workflowId: string): Promise<Map<string, number>> {
	const { rows } = await database.query<{ activity: string; runs: string }>(
		`select substring(d.data from 'act_[A-Za-z0-9]+') as activity, count(*) as runs
		   from execution_entity e join execution_data d on d."executionId" = e.id
		  where e."workflowId" = $1 and e.status = 'success'
		  group by 1`,
		[workflowId],
	);
	return new Map(rows.map(({ activity, runs }) => [activity, Number(runs)]));
}

/** Executions that have not ended yet. */
export async function unfinished(database: Client, workflowId: string): Promise<number> {
	const { rows } = await database.query<{ count: string }>(
		`select count(*) from execution_entity where "workflowId" = $1 and status in ('new', 'running', 'waiting')`,
		[workflowId],
	);
	return Number(rows[0]?.count ?? 0);
}

/** How executions ended, by status. */
export async function endings(
	database: Client,
	workflowId: string,
): Promise<Record<string, number>> {
	const { rows } = await database.query<{ status: string; count: string }>(
		`select status, count(*) from execution_entity where "workflowId" = $1 group by 1`,
		[workflowId],
	);
	return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}
