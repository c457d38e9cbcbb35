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

/** The maximum time n8n takes to finish accepted events. */
const IDLE_TIMEOUT_MS = 180_000;

/** The most executions that n8n returns at once. */
const PAGE_SIZE = 100;

/** Lists, reads, retries and stops executions. */
export class N8nExecutions {
	constructor(private readonly session: N8nSession) {}

	/** Lists all matching executions, newest first. Of those that ended before they started, it returns only the latest. */
	async list(filter: ExecutionFilter = {}): Promise<N8nExecutionSummary[]> {
		const all = new Map<string, N8nExecutionSummary>();
		let startedBefore: string | undefined;
		for (;;) {
			const page = await this.page({ ...filter, ...(startedBefore && { startedBefore }) });
			for (const execution of page) {
				if (!all.has(execution.id)) all.set(execution.id, execution);
			}
			// Executions in progress are on top of every page and don't count towards its size.
			const ended = page.filter(({ status }) => status !== 'new' && status !== 'running');
			if (ended.length < PAGE_SIZE) return [...all.values()];
			// Pages by start time instead of n8n's ID or cursor: n8n sorts by start time but continues from an ID, so one of
			// two executions that started at the same time can be skipped. This bound includes the start time itself.
			const oldest = ended.findLast(({ startedAt }) => startedAt !== null)?.startedAt ?? undefined;
			if (oldest === startedBefore)
				throw new Error(`More than ${PAGE_SIZE} executions started at the same time`);
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

	/** Fetches an execution with its data. */
	async get(id: string): Promise<N8nExecution> {
		const { data, ...summary } = await this.session.request(
			'GET',
			`/executions/${id}`,
			executionResponseSchema,
		);
		// Imported dynamically because its types are for ES modules only.
		const { parse } = await import('flatted');
		return { ...summary, data: executionDataSchema.parse(parse(data)) };
	}

	/** Retries a failed execution, as _Retry_ in the editor does. Resolves once the retry has finished. */
	async retry(id: string): Promise<void> {
		await this.session.request('POST', `/executions/${id}/retry`, z.unknown(), { body: {} });
	}

	/** Cancels a running execution, as _Stop_ in the editor does. */
	async stop(id: string): Promise<void> {
		await this.session.request('POST', `/executions/${id}/stop`, z.unknown(), { body: {} });
	}

	/** Waits until no execution of a workflow is in progress. */
	async untilIdle(workflowId: string, { timeoutMs = IDLE_TIMEOUT_MS } = {}): Promise<void> {
		let idleChecks = 0;
		await waitFor(
			'all executions to finish',
			() => this.list({ workflowId, status: ['new', 'running'] }),
			// Two consecutive checks, because n8n responds to the sender before it lists the execution.
			(inProgress) => (idleChecks = inProgress.length === 0 ? idleChecks + 1 : 0) >= 2,
			{ timeoutMs, everyMs: 250 },
		);
	}

	/**
	 * Waits until at least `count` executions of a workflow have finished, successfully or not.
	 *
	 * @returns all finished executions with their data, oldest first
	 * @throws WaitTimeoutError
	 */
	async waitForFinished(
		workflowId: string,
		count: number,
		options?: WaitOptions,
	): Promise<N8nExecution[]> {
		const summaries = await waitFor(
			`${count} finished executions of workflow ${workflowId}`,
			() => this.list({ workflowId }),
			(executions) => executions.filter(isFinished).length >= count,
			options,
		);
		const ids = summaries.filter(isFinished).map(({ id }) => id);
		const finished: N8nExecution[] = [];
		// In groups: too many requests at once make n8n on SQLite consider its database unavailable and respond with 503.
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

/** The items on a node's first output in its last run. Empty if it didn't run. */
export function itemsOf(execution: N8nExecution, nodeName: string): Array<Record<string, unknown>> {
	const lastRun = execution.data.resultData.runData[nodeName]?.at(-1);
	return (lastRun?.data?.main?.[0] ?? []).map(({ json }) => json);
}

/** The message of the error that made an execution fail, if it did. */
export function errorOf(execution: N8nExecution): string | undefined {
	return execution.data.resultData.error?.message;
}
