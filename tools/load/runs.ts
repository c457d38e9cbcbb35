import type { Client } from 'pg';
import { z } from 'zod';
import { queryDatabase, type OutreachHost } from '../host';
import type { Run } from './judge';

/** Runs a statement in n8n's database. Its parameters are `$1`, `$2` …, each used once and in this order. */
export type Query = <Row>(
	row: z.ZodType<Row, z.ZodTypeDef, unknown>,
	sql: string,
	parameters: ReadonlyArray<string | number>,
) => Promise<Row[]>;

export const inSqlite =
	({ installation, server }: Pick<OutreachHost, 'installation' | 'server'>): Query =>
	async (row, sql, parameters) =>
		await queryDatabase(
			installation,
			server.userFolder,
			row,
			sql.replaceAll(/\$\d+/g, '?'),
			parameters,
		);

export const inPostgres =
	(client: Client): Query =>
	async (row, sql, parameters) =>
		z.array(row).parse((await client.query(sql, [...parameters])).rows);

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

const outputSchema = z.object({
	main: z.array(z.array(z.object({ json: z.unknown() })).nullable()),
});
const dataSchema = z.object({
	resultData: z
		.object({
			runData: z.record(z.array(z.object({ data: outputSchema.optional() }))).default({}),
			lastNodeExecuted: z.string().optional(),
			error: z.object({ message: z.string() }).optional(),
		})
		.default({}),
	/** What runs next in an execution that has not ended. */
	executionData: z
		.object({
			nodeExecutionStack: z
				.array(z.object({ node: z.object({ name: z.string() }), data: outputSchema }))
				.default([]),
		})
		.default({}),
});

/** An execution as n8n stored it. */
export interface Execution {
	id: string;
	workflowId: string;
	/** How it was started, such as `webhook`; a report of our trigger has `trigger`. */
	mode: string;
	status: string;
	/** When n8n stored it, in milliseconds since 1970. */
	storedAt: number;
	stoppedAt: number | undefined;
	/** Undefined if no node has run, or n8n has lost the data. */
	lastNode: string | undefined;
	/** The message of the error that it failed with. */
	error: string | undefined;
	/** The JSON of the items that each node put out, by its name. A node that has not ended is missing. */
	outputs: ReadonlyMap<string, unknown[]>;
	/** The same for the nodes that were to run next. */
	waiting: ReadonlyMap<string, unknown[]>;
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

async function executionOf({
	id,
	createdAt = 0,
	stoppedAt,
	data,
	...row
}: z.infer<typeof rowSchema>): Promise<Execution> {
	// Imported dynamically because its types are for ES modules only.
	const { parse } = await import('flatted');
	// An execution that n8n was killed in may have no data, or none that can be read.
	const read = dataSchema.safeParse(data === null ? {} : parse(data)).data;
	const outputs = Object.entries(read?.resultData.runData ?? {}).flatMap(([name, runs]) =>
		runs.some((run) => run.data !== undefined)
			? [[name, runs.flatMap((run) => (run.data === undefined ? [] : jsonOf(run.data)))] as const]
			: [],
	);
	const waiting = (read?.executionData.nodeExecutionStack ?? []).map(
		(next) => [next.node.name, jsonOf(next.data)] as const,
	);
	return {
		...row,
		id: String(id),
		storedAt: createdAt,
		stoppedAt,
		lastNode: read?.resultData.lastNodeExecuted,
		error: read?.resultData.error?.message,
		outputs: new Map(outputs),
		waiting: new Map(waiting),
	};
}

const jsonOf = ({ main }: z.infer<typeof outputSchema>): unknown[] =>
	main.flatMap((items) => items ?? []).map(({ json }) => json);

/** The events that a node has put out in an execution that succeeded. */
export function runsAt(node: string, { id, status, storedAt, outputs }: Execution): Run[] {
	if (status !== 'success') return [];
	return (outputs.get(node) ?? []).flatMap((item): Run[] => {
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
