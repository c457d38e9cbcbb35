import { TRIGGER_NAME, NEXT_NODE } from '../host/workflows';
import type { Run } from '../load/judge';
import { activityIdOf, readExecutions, runsAt, type Execution, type Query } from '../load/runs';

/** What became of the executions of a workflow. */
export interface Executions {
	/** Events that the node after the trigger has put out. */
	runs: Run[];
	/** The number of executions by status. */
	statuses: Record<string, number>;
	/** The number of executions that failed in a node. */
	failed: number;
	/** Executions that n8n lost with a worker, with the activities that they had; none if n8n kept no data. */
	lost: Array<{ id: string; activities: string[] }>;
	/** Those that n8n has marked as crashed, although a worker may never have had them. */
	crashed: Array<{ id: string; activities: string[] }>;
}

const activitiesOf = ({ outputs, waiting }: Execution): string[] =>
	(outputs.get(TRIGGER_NAME) ?? waiting.get(TRIGGER_NAME) ?? []).flatMap(
		(item) => activityIdOf(item) ?? [],
	);

/**
 * Whether n8n has lost an execution with its worker: before any node has run (because the worker closed its database
 * connection first), or later, when it keeps nothing but this error.
 */
const isLost = ({ lastNode, error }: Execution): boolean =>
	lastNode === undefined || error?.includes('failed to be processed too many times') === true;

export async function executionsIn(query: Query, workflowId: string): Promise<Executions> {
	const found: Executions = { runs: [], statuses: {}, failed: 0, lost: [], crashed: [] };
	for await (const execution of readExecutions(query, [workflowId])) {
		const { id, status } = execution;
		found.statuses[status] = (found.statuses[status] ?? 0) + 1;
		found.runs.push(...runsAt(NEXT_NODE, execution));
		const described = { id, activities: activitiesOf(execution) };
		if (status === 'crashed') found.crashed.push(described);
		if (status !== 'crashed' && status !== 'error') continue;
		if (isLost(execution)) found.lost.push(described);
		else found.failed += 1;
	}
	return found;
}
