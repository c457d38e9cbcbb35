import { createHash } from 'node:crypto';

import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** The times between which n8n reads a row and writes it, in milliseconds. */
export type Gap = () => Promise<void>;

const hashOf = (value: DeduplicationItemTypes): string =>
	createHash('md5').update(value.toString()).digest('base64');

/** The table `processed_data` of n8n's database: the values of each node of a workflow. */
export class ProcessedData {
	readonly rows = new Map<string, string[]>();

	/** Throws where a write fails. */
	beforeWrite: () => void = () => undefined;

	/** Throws where a write succeeds, and its response is lost. */
	afterWrite: () => void = () => undefined;

	insert(row: string, values: string[]): void {
		this.beforeWrite();
		if (this.rows.has(row)) throw new Error('SQLITE_CONSTRAINT: UNIQUE constraint failed');
		this.rows.set(row, values);
		this.afterWrite();
	}

	update(row: string, values: string[]): void {
		this.beforeWrite();
		this.rows.set(row, values);
		this.afterWrite();
	}
}

/**
 * n8n's implementation of its deduplication helper in one process, for the mode `entries`: it reads all values of a row,
 * and writes them all. Other processes may write between the two.
 */
export class DeduplicationHelper implements IDataDeduplicator {
	constructor(
		private readonly table: ProcessedData,
		private readonly gap: Gap = async () => undefined,
	) {}

	private async read(row: string): Promise<string[] | undefined> {
		const values = this.table.rows.get(row);
		const copy = values && [...values];
		await this.gap();
		return copy;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const row = rowOf(scope, context);
		const values = await this.read(row);
		const limited = (all: string[]): string[] => all.slice(-(maxEntries ?? all.length));
		if (values === undefined) {
			this.table.insert(row, limited(items.map(hashOf)));
			return { new: items, processed: [] };
		}
		const known = new Set(values);
		const isNew = (item: DeduplicationItemTypes): boolean => !known.has(hashOf(item));
		const added = items.filter(isNew);
		this.table.update(row, limited([...values, ...added.map(hashOf)]));
		return { new: added, processed: items.filter((item) => !isNew(item)) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const row = rowOf(scope, context);
		const values = await this.read(row);
		if (values === undefined) return;
		const removed = new Set(items.map(hashOf));
		this.table.update(
			row,
			values.filter((value) => !removed.has(value)),
		);
	}

	async clearAllProcessedItems(): Promise<void> {
		throw new Error('The node clears nothing');
	}

	async getProcessedDataCount(): Promise<number> {
		throw new Error('The node counts nothing');
	}
}

const rowOf = (scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string =>
	`${workflow.id}/${scope === 'node' ? `n:${node?.id ?? ''}` : ''}`;
