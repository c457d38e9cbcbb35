/** What n8n has stored of executions. */
import { z } from 'zod';
import type { Query } from './database';

const outputSchema = z
	.object({
		main: z.array(z.array(z.object({ json: z.record(z.unknown()) })).nullable()).default([]),
	})
	.transform(({ main }) => main.flatMap((items) => items ?? []).map(({ json }) => json));
const dataSchema = z.object({
	resultData: z
		.object({
			runData: z.record(z.array(z.object({ data: outputSchema.optional() }))).default({}),
			lastNodeExecuted: z.string().optional(),
			error: z.object({ message: z.string() }).passthrough().optional(),
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

type Item = Record<string, unknown>;

/** What an execution did. */
export interface ExecutionData {
	/** Undefined if no node has run, or n8n has lost the data. */
	lastNode: string | undefined;
	/** What it failed with. */
	error: { message: string } | undefined;
	/** The JSON of the items that each node put out, by its name. A node that has not ended is missing. */
	outputs: ReadonlyMap<string, Item[]>;
	/** The same for the nodes that were to run next. */
	waiting: ReadonlyMap<string, Item[]>;
}

/**
 * Reads what n8n has stored of an execution, in the format of `flatted`. One that n8n was killed in may have nothing, or
 * nothing that can be read.
 */
export async function readExecutionData(stored: string | null): Promise<ExecutionData> {
	// Imported dynamically because its types are for ES modules only.
	const { parse } = await import('flatted');
	const read = dataSchema.safeParse(stored === null ? {} : parse(stored)).data;
	const outputs = new Map<string, Item[]>();
	for (const [name, runs] of Object.entries(read?.resultData.runData ?? {})) {
		const ended = runs.flatMap(({ data }) => (data === undefined ? [] : [data]));
		if (ended.length > 0) outputs.set(name, ended.flat());
	}
	const next = read?.executionData.nodeExecutionStack ?? [];
	return {
		lastNode: read?.resultData.lastNodeExecuted,
		error: read?.resultData.error,
		outputs,
		waiting: new Map(next.map(({ node, data }) => [node.name, data])),
	};
}

/** The items that a node put out. Empty if it didn't run. */
export const itemsOf = ({ outputs }: Pick<ExecutionData, 'outputs'>, node: string): Item[] =>
	outputs.get(node) ?? [];

/** In milliseconds since 1970; n8n stores UTC without a time zone in SQLite. */
const timeSchema = z
	.union([z.date(), z.string().transform((time) => new Date(`${time.replace(' ', 'T')}Z`))])
	.transform((time) => time.getTime());

const rowSchema = z.object({
	id: z.coerce.string(),
	workflowId: z.string(),
	/** How it was started, such as `webhook`; a report of our trigger has `trigger`. */
	mode: z.string(),
	status: z.string(),
	/** When n8n stored it. */
	createdAt: timeSchema,
	stoppedAt: timeSchema.nullable(),
	data: z.string().nullable(),
});

/** An execution as n8n stored it. */
export type Execution = Omit<z.infer<typeof rowSchema>, 'data'> & ExecutionData;

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
		for (const { data, ...row } of rows) yield { ...row, ...(await readExecutionData(data)) };
		last = Number(rows.at(-1)?.id ?? last);
		isLastPage = rows.length < PAGE_SIZE;
	}
}
