import { z } from 'zod';
import { queryDatabase, type OutreachHost } from '../host';

const countSchema = z.object({ count: z.number().nullable() });

async function number(host: OutreachHost, sql: string, workflowId: string): Promise<number> {
	const { installation, server } = host;
	const [row] = await queryDatabase(installation, server.userFolder, countSchema, sql, [
		workflowId,
	]);
	return row?.count ?? 0;
}

/** Executions that succeeded. */
export const runsSoFar = (host: OutreachHost, workflowId: string) =>
	number(
		host,
		`SELECT COUNT(*) AS count FROM execution_entity WHERE workflowId = ? AND status = 'success'`,
		workflowId,
	);

/** How much of n8n's database the workflow's memory takes, as JSON. */
export const staticDataBytes = (host: OutreachHost, workflowId: string) =>
	number(host, 'SELECT LENGTH(staticData) AS count FROM workflow_entity WHERE id = ?', workflowId);
