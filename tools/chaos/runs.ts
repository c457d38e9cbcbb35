import { z } from 'zod';
import type { World } from './world';

/** An event with which n8n has started a workflow, or is about to. */
export interface Run {
	execution: string;
	/** Address of the trigger in n8n, without the event. */
	address: string;
	/** The event of the webhook that brought it; `*` for all events. */
	subscription: string;
	type: string;
	id: string;
	/** When n8n stored the execution; milliseconds since 1970. */
	at: number;
}

export interface Runs {
	runs: Run[];
	/** Executions of which n8n has kept too little to tell their event: it was killed in the middle of them. */
	unreadable: number;
}

const rowSchema = z.object({
	id: z.coerce.string(),
	workflowId: z.string(),
	createdAt: z.string(),
	data: z.string().nullable(),
});

const outputSchema = z.object({
	main: z.array(z.array(z.object({ json: z.unknown() })).nullable()),
});
const dataSchema = z.object({
	resultData: z
		.object({
			runData: z.record(z.array(z.object({ data: outputSchema.optional() }))).default({}),
		})
		.optional(),
	/** What is about to run, as long as it has not. */
	executionData: z
		.object({
			nodeExecutionStack: z
				.array(z.object({ node: z.object({ name: z.string() }), data: outputSchema }))
				.default([]),
		})
		.optional(),
});

/** An item of the trigger with the option Output: Grouped. */
const itemSchema = z.object({
	json: z.object({
		event: z.object({ id: z.string(), type: z.string(), subscription: z.string().nullable() }),
	}),
});

/** All production executions of a history's workflows with the events in them, from n8n's database. */
export async function readRuns(world: World): Promise<Runs> {
	const rows = await world.query(
		rowSchema,
		`SELECT e.id, e.workflowId, e.createdAt, d.data FROM execution_entity e
		 LEFT JOIN execution_data d ON d.executionId = e.id
		 WHERE e.mode <> 'manual' AND e.workflowId IN (${world.workflows.map(() => '?').join(', ')})`,
		world.workflows.map(({ id }) => id),
	);
	// Imported here because its types, unlike its code, are for ES modules only.
	const { parse } = await import('flatted');
	const runs: Run[] = [];
	let unreadable = 0;
	for (const { id: execution, workflowId, createdAt, data } of rows) {
		const triggers = world.workflows.find(({ id }) => id === workflowId)?.triggers ?? [];
		const parsed = dataSchema.safeParse(data === null ? undefined : parse(data));
		// SQLite has no time zones: n8n stores UTC.
		const at = Date.parse(`${createdAt.replace(' ', 'T')}Z`);
		const found = triggers.flatMap(({ name, address }) =>
			(parsed.success ? itemsOf(parsed.data, name) : []).flatMap((item) => {
				const event = itemSchema.safeParse(item).data?.json.event;
				if (event === undefined) return [];
				const { id, type, subscription } = event;
				return [{ execution, address, subscription: subscription ?? '*', type, id, at }];
			}),
		);
		if (found.length === 0) unreadable += 1;
		runs.push(...found);
	}
	return { runs, unreadable };
}

/** What a trigger put out; before the execution has run, what it is about to. */
function itemsOf({ resultData, executionData }: z.infer<typeof dataSchema>, trigger: string) {
	const output = resultData?.runData[trigger]?.[0]?.data;
	const waiting = executionData?.nodeExecutionStack.find(({ node }) => node.name === trigger)?.data;
	return (output ?? waiting)?.main[0] ?? [];
}
