import { waitFor, type WaitOptions } from '../waitFor';
import {
	executionDataSchema,
	executionListSchema,
	executionResponseSchema,
	type N8nExecution,
	type N8nExecutionStatus,
	type N8nExecutionSummary,
} from './schemas';
import type { N8nSession } from './session';

export interface ExecutionFilter {
	workflowId?: string;
	status?: N8nExecutionStatus[];
}

/** n8n answers with no more than this many at once. */
const PAGE_SIZE = 100;

/** Reads executions, newest first. */
export class N8nExecutions {
	constructor(private readonly session: N8nSession) {}

	/** All executions that match, page by page. */
	async list(filter: ExecutionFilter = {}): Promise<N8nExecutionSummary[]> {
		const all: N8nExecutionSummary[] = [];
		for (;;) {
			const last = all.at(-1);
			const page = await this.page(filter, last?.id);
			const known = new Set(all.map(({ id }) => id));
			// Running executions come on top of every page.
			const fresh = page.filter(({ id }) => !known.has(id));
			all.push(...fresh);
			if (fresh.length === 0 || page.length < PAGE_SIZE) return all;
		}
	}

	private async page(filter: ExecutionFilter, lastId?: string): Promise<N8nExecutionSummary[]> {
		const { results } = await this.session.request('GET', '/executions', executionListSchema, {
			query: {
				filter: JSON.stringify(filter),
				limit: String(PAGE_SIZE),
				...(lastId !== undefined && { lastId }),
			},
		});
		return results;
	}

	/** One execution with its data. */
	async get(id: string): Promise<N8nExecution> {
		const { data, ...summary } = await this.session.request(
			'GET',
			`/executions/${id}`,
			executionResponseSchema,
		);
		// Imported here because its types, unlike its code, are for ES modules only.
		const { parse } = await import('flatted');
		return { ...summary, data: executionDataSchema.parse(parse(data)) };
	}

	/**
	 * Waits until at least `count` executions of a workflow have ended, well or not, and returns all
	 * that have, oldest first, with their data.
	 */
	async waitForFinished(
		workflowId: string,
		count: number,
		options?: WaitOptions,
	): Promise<N8nExecution[]> {
		const summaries = await waitFor(
			`${count} finished executions of workflow ${workflowId}`,
			() => this.list({ workflowId }),
			(seen) => seen.filter(isFinished).length >= count,
			options,
		);
		const ids = summaries.filter(isFinished).map(({ id }) => id);
		return Promise.all(ids.reverse().map((id) => this.get(id)));
	}
}

function isFinished({ status }: N8nExecutionSummary): boolean {
	return !['new', 'running', 'waiting', 'unknown'].includes(status);
}

/** The items a node put out on its first output, in its last run; empty when it did not run. */
export function itemsOf(execution: N8nExecution, nodeName: string): Array<Record<string, unknown>> {
	const lastRun = execution.data.resultData.runData[nodeName]?.at(-1);
	return (lastRun?.data?.main?.[0] ?? []).map(({ json }) => json);
}

/** The message of what made an execution fail, if it did. */
export function errorOf(execution: N8nExecution): string | undefined {
	return execution.data.resultData.error?.message;
}
