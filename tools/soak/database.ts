import { z } from 'zod';
import { queryDatabase, type OutreachHost } from '../host';

const countSchema = z.object({ count: z.number().nullable() });

async function queryNumber(host: OutreachHost, sql: string, workflowId: string): Promise<number> {
	const { installation, server } = host;
	const [row] = await queryDatabase(installation, server.userFolder, countSchema, sql, [
		workflowId,
	]);
	return row?.count ?? 0;
}

/** The number of successful executions. */
export const countSucceeded = (host: OutreachHost, workflowId: string) =>
	queryNumber(
		host,
		`SELECT COUNT(*) AS count FROM execution_entity WHERE workflowId = ? AND status = 'success'`,
		workflowId,
	);

/** The size of the workflow's static data, as JSON. */
export const staticDataBytes = (host: OutreachHost, workflowId: string) =>
	queryNumber(
		host,
		'SELECT LENGTH(staticData) AS count FROM workflow_entity WHERE id = ?',
		workflowId,
	);
