import { z } from 'zod';
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

/** Reads executions, newest first, and has them repeated. */
export class N8nExecutions {
	constructor(private readonly session: N8nSession) {}

	/** All executions that match, page by page; of those that n8n ended before it started them, the latest only. */
	async list(filter: ExecutionFilter = {}): Promise<N8nExecutionSummary[]> {
		const all = new Map<string, N8nExecutionSummary>();
		let startedBefore: string | undefined;
		for (;;) {
			const page = await this.page({ ...filter, ...(startedBefore && { startedBefore }) });
			for (const one of page) if (!all.has(one.id)) all.set(one.id, one);
			// What is under way comes on top of every page, and does not count.
			const ended = page.filter(({ status }) => status !== 'new' && status !== 'running');
			if (ended.length < PAGE_SIZE) return [...all.values()];
			// Neither by IDs nor by the cursor of newer versions: n8n sorts by the start but goes on from an ID, so that of
			// two that started at the same time one can be left out. This bound includes the time itself.
			const oldest = ended.findLast(({ startedAt }) => startedAt !== null)?.startedAt ?? undefined;
			if (oldest === startedBefore) throw new Error(`Over ${PAGE_SIZE} executions began at once`);
			startedBefore = oldest;
		}
	}

	private async page(
		filter: ExecutionFilter & { startedBefore?: string },
	): Promise<N8nExecutionSummary[]> {
		const { results } = await this.session.request('GET', '/executions', executionListSchema, {
			query: { filter: JSON.stringify(filter), limit: String(PAGE_SIZE) },
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

	/** Runs one again that failed, as _Retry_ in the list of executions does; returns when it has ended. */
	async retry(id: string): Promise<void> {
		await this.session.request('POST', `/executions/${id}/retry`, z.unknown(), { body: {} });
	}

	/** Cancels one that runs, as the button in the editor does. */
	async stop(id: string): Promise<void> {
		await this.session.request('POST', `/executions/${id}/stop`, z.unknown(), { body: {} });
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
		const finished: N8nExecution[] = [];
		// Not all at once: n8n on SQLite then believes that its database is gone, and answers 503.
		for (const group of inGroups(ids.reverse(), 20)) {
			finished.push(...(await Promise.all(group.map((id) => this.get(id)))));
		}
		return finished;
	}
}

function inGroups<Item>(items: Item[], size: number): Item[][] {
	const count = Math.ceil(items.length / size);
	return Array.from({ length: count }, (_, group) => items.slice(group * size, (group + 1) * size));
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
