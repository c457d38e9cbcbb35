import { z } from 'zod';
import { itemsOf, readExecutionData, type ExecutionData, type Query } from '../host';
import type { Run } from './judge';

/** n8n stores UTC without a time zone in SQLite. Milliseconds since 1970. */
const timeSchema = z
	.union([z.date(), z.string()])
	.nullable()
	.transform((time) => {
		if (time === null) return undefined;
		return typeof time === 'string' ? Date.parse(`${time.replace(' ', 'T')}Z`) : time.getTime();
	});

const rowSchema = z.object({
	id: z.coerce.number(),
	workflowId: z.string(),
	mode: z.string(),
	status: z.string(),
	createdAt: timeSchema,
	stoppedAt: timeSchema,
	data: z.string().nullable(),
});

/** An execution as n8n stored it. */
export interface Execution extends ExecutionData {
	id: string;
	workflowId: string;
	/** How it was started, such as `webhook`; a report of our trigger has `trigger`. */
	mode: string;
	status: string;
	/** When n8n stored it, in milliseconds since 1970. */
	storedAt: number;
	stoppedAt: number | undefined;
}

/** How many executions to read at once: some KB each. */
const PAGE_SIZE = 500;

/**
 * The executions of these workflows, oldest first, straight from n8n's database: n8n's API would take longer to read
 * them than to run them.
 *
 * @param after the ID of the last execution to leave out
 */
export async function* readExecutions(
	query: Query,
	workflowIds: readonly string[],
	after = 0,
): AsyncGenerator<Execution, void> {
	const workflows = workflowIds.map((_, index) => `$${index + 2}`).join(', ');
	let last = after;
	let isLastPage = false;
	while (!isLastPage) {
		const rows = await query(
			rowSchema,
			`SELECT e.id, e."workflowId", e.mode, e.status, e."createdAt", e."stoppedAt", d.data
			 FROM execution_entity e LEFT JOIN execution_data d ON d."executionId" = e.id
			 WHERE e.id > $1 AND e."workflowId" IN (${workflows}) ORDER BY e.id LIMIT ${PAGE_SIZE}`,
			[last, ...workflowIds],
		);
		for (const row of rows) yield await executionOf(row);
		last = rows.at(-1)?.id ?? last;
		isLastPage = rows.length < PAGE_SIZE;
	}
}

/** The ID of the newest execution, for `readExecutions`. */
export async function newestExecution(query: Query): Promise<number> {
	const row = z.object({ id: z.coerce.number().nullable() });
	const [newest] = await query(row, 'SELECT MAX(id) AS id FROM execution_entity', []);
	return newest?.id ?? 0;
}

async function executionOf(row: z.infer<typeof rowSchema>): Promise<Execution> {
	const { id, createdAt = 0, stoppedAt, data, ...described } = row;
	return {
		...described,
		id: String(id),
		storedAt: createdAt,
		stoppedAt,
		...(await readExecutionData(data)),
	};
}

/** The events that a node has put out in an execution that succeeded. */
export function runsAt(node: string, execution: Execution): Run[] {
	const { id, status, storedAt } = execution;
	if (status !== 'success') return [];
	return itemsOf(execution, node).flatMap((item): Run[] => {
		const event = activityIdOf(item);
		return event === undefined ? [] : [{ event, execution: id, at: storedAt, isPassedOn: true }];
	});
}

/** The ID of the activity in an item; n8n's Webhook node puts it under `body`. */
export function activityIdOf(json: unknown): string | undefined {
	const { body, _id } = itemSchema.parse(json);
	return body?._id ?? _id;
}

const withId = z.object({ _id: z.string() }).optional().catch(undefined);
const itemSchema = z.object({ _id: z.string().optional(), body: withId }).catch({});
