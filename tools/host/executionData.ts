import { z } from 'zod';

const outputSchema = z.object({
	main: z.array(z.array(z.object({ json: z.record(z.unknown()) })).nullable()).default([]),
});
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
	const outputs = Object.entries(read?.resultData.runData ?? {}).flatMap(([name, runs]) => {
		const ended = runs.flatMap(({ data }) => data ?? []);
		return ended.length > 0 ? [[name, ended.flatMap(jsonOf)] as const] : [];
	});
	const waiting = (read?.executionData.nodeExecutionStack ?? []).map(
		({ node, data }) => [node.name, jsonOf(data)] as const,
	);
	return {
		lastNode: read?.resultData.lastNodeExecuted,
		error: read?.resultData.error,
		outputs: new Map(outputs),
		waiting: new Map(waiting),
	};
}

const jsonOf = ({ main }: z.infer<typeof outputSchema>): Item[] =>
	main.flatMap((items) => items ?? []).map(({ json }) => json);

/** The items that a node put out. Empty if it didn't run. */
export const itemsOf = ({ outputs }: Pick<ExecutionData, 'outputs'>, node: string): Item[] =>
	outputs.get(node) ?? [];
