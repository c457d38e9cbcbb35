import { z } from 'zod';
import type { World } from './world';

/** An event for which n8n has started an execution, or has queued one. */
export interface Run {
	execution: string;
	/** The trigger's production URL, without the event. */
	webhookUrl: string;
	/** The event of the webhook that delivered it; `*` for all events. */
	subscription: string;
	type: string;
	id: string;
	/** When n8n stored the execution, in milliseconds since 1970. */
	at: number;
	/** Whether the trigger has ended: otherwise n8n was killed before, and the event may run again. */
	isPassedOn: boolean;
}

/** An execution whose events cannot be read, because n8n was killed while it ran. */
export interface UnreadableRun {
	/** The production URLs of its workflow's triggers. */
	webhookUrls: string[];
	/** When n8n stored it, in milliseconds since 1970. */
	at: number;
}

export interface Runs {
	runs: Run[];
	unreadable: UnreadableRun[];
}

/** An execution that reports a problem with the webhooks of a workflow. */
export interface Report {
	execution: string;
	workflowId: string;
	/** In milliseconds since 1970. */
	at: number;
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
	/** What will run next, while the execution waits. */
	executionData: z
		.object({
			nodeExecutionStack: z
				.array(z.object({ node: z.object({ name: z.string() }), data: outputSchema }))
				.default([]),
		})
		.optional(),
});

/** Whether the trigger has ended in an execution: without items, the database knew its events. */
const hasOutput = ({ resultData }: z.infer<typeof dataSchema>, trigger: string): boolean =>
	resultData?.runData[trigger]?.some(({ data }) => data !== undefined) === true;

/** An item of the trigger with the option Output: Grouped. */
const itemSchema = z.object({
	json: z.object({
		event: z.object({ id: z.string(), type: z.string(), subscription: z.string().nullable() }),
	}),
});

/**
 * The events of all production executions of a history's workflows, from n8n's database. Those of the mode `trigger` are
 * reports of problems.
 */
export async function readRuns(world: World): Promise<Runs> {
	const rows = await world.query(
		rowSchema,
		`SELECT e.id, e.workflowId, e.createdAt, d.data FROM execution_entity e
		 LEFT JOIN execution_data d ON d.executionId = e.id
		 WHERE e.mode NOT IN ('manual', 'trigger') AND e.workflowId IN (${world.workflows.map(() => '?').join(', ')})`,
		world.workflows.map(({ id }) => id),
	);
	// A dynamic import, because the package's types (unlike its code) are for ES modules only.
	const { parse } = await import('flatted');
	const runs: Run[] = [];
	const unreadable: UnreadableRun[] = [];
	for (const { id: execution, workflowId, createdAt, data } of rows) {
		const triggers = world.workflows.find(({ id }) => id === workflowId)?.triggers ?? [];
		const parsed = dataSchema.safeParse(data === null ? undefined : parse(data));
		const at = timeOf(createdAt);
		const found = triggers.flatMap(({ name, webhookUrl }) =>
			(parsed.success ? itemsOf(parsed.data, name) : []).flatMap((item): Run[] => {
				const event = itemSchema.safeParse(item).data?.json.event;
				if (event === undefined) return [];
				const { id, type, subscription } = event;
				const isPassedOn = parsed.success && hasOutput(parsed.data, name);
				const source = { execution, webhookUrl, subscription: subscription ?? '*' };
				return [{ ...source, type, id, at, isPassedOn }];
			}),
		);
		const hasEnded = triggers.some(({ name }) => parsed.success && hasOutput(parsed.data, name));
		if (found.length === 0 && !hasEnded) {
			unreadable.push({ webhookUrls: triggers.map(({ webhookUrl }) => webhookUrl), at });
		}
		runs.push(...found);
	}
	return { runs, unreadable };
}

/** n8n stores UTC without a time zone in SQLite. */
const timeOf = (createdAt: string) => Date.parse(`${createdAt.replace(' ', 'T')}Z`);

/** The reports of the history's workflows, from n8n's database. */
export async function readReports(world: World): Promise<Report[]> {
	const rows = await world.query(
		rowSchema.omit({ data: true }),
		`SELECT id, workflowId, createdAt FROM execution_entity
		 WHERE mode = 'trigger' AND workflowId IN (${world.workflows.map(() => '?').join(', ')})`,
		world.workflows.map(({ id }) => id),
	);
	return rows.map(({ id, workflowId, createdAt }) => ({
		execution: id,
		workflowId,
		at: timeOf(createdAt),
	}));
}

/** The output of a trigger, or its queued output if the execution has not run yet. */
function itemsOf({ resultData, executionData }: z.infer<typeof dataSchema>, trigger: string) {
	const output = resultData?.runData[trigger]?.[0]?.data;
	const waiting = executionData?.nodeExecutionStack.find(({ node }) => node.name === trigger)?.data;
	return (output ?? waiting)?.main[0] ?? [];
}
