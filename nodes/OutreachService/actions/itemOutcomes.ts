import type { IDataObject } from 'n8n-workflow';

import { sideEffectsOf } from '../api/errors';
import type { Result } from './operation';

/** The maximum number of items that are named, and of webhooks of each. */
const MAX_NAMED = 20;
const MAX_IDS = 3;

type Item = { index: number; webhooks: IDataObject[]; lostOutput: string | undefined };

/** An item as n8n counts it, with what it worked on: `item 0 (hoo_1)`. */
function named({ index, webhooks }: Item): string {
	const ids = webhooks.flatMap(({ _id }) => (typeof _id === 'string' ? [_id] : []));
	const list = ids.length > MAX_IDS ? `${ids.length} webhooks` : ids.join(', ');
	return `item ${index} (${list || 'none'})`;
}

/**
 * The items of an execution for which something was changed at the service. Several items are worked on at a time, so
 * when one fails, others are done or under way, and their output is lost with the execution.
 */
export class ItemOutcomes {
	private readonly items: Item[] = [];

	private readonly failures: Array<{ index: number; sideEffects: string | undefined }> = [];

	/** Notes that an item is done. */
	add(index: number, { operation, output }: Result): void {
		const isDryRun = output.some(({ dryRun }) => dryRun === true);
		if (operation.changes !== true || isDryRun || output.length === 0) return;
		this.items.push({ index, webhooks: output, lostOutput: operation.lostOutput });
	}

	/** Notes that an item has failed, which may have changed something all the same. */
	addFailure(index: number, error: Error): void {
		this.failures.push({ index, sideEffects: sideEffectsOf(error) });
	}

	/**
	 * What was changed at the service, for the log; undefined when nothing was.
	 * @param withFirst false for the error of the first item that has failed, which tells what became of that item
	 */
	describe({ withFirst }: { withFirst: boolean }): string | undefined {
		const failures = this.failures.toSorted((a, b) => a.index - b.index).slice(withFirst ? 0 : 1);
		const left = failures.flatMap(({ index, sideEffects }) =>
			sideEffects === undefined ? [] : [`Item ${index} failed: ${sideEffects}`],
		);
		return [this.describeCompleted(), ...left].filter(Boolean).join(' ') || undefined;
	}

	private describeCompleted(): string | undefined {
		if (this.items.length === 0) return undefined;
		const sorted = this.items.toSorted((a, b) => a.index - b.index);
		const names = sorted.slice(0, MAX_NAMED).map(named);
		const more = sorted.length - names.length;
		const list = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
		const lost = sorted.find(({ lostOutput }) => lostOutput !== undefined)?.lostOutput;
		return [`Completed anyway: ${list}.`, lost].filter(Boolean).join(' ');
	}
}
