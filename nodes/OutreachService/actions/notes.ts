/** What an execution tells beside its output: what its items have changed, and the hints above the output. */
import type {
	IDataObject,
	IExecuteFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { addChanges, describeChanges, noChanges, unseenBeyond, type ItemChanges } from './changes';
import type { Operation } from './operation';

/** The notes of an execution, several items of which run at a time. */
export class ExecutionNotes {
	private readonly changes: ItemChanges[] = [];

	/** The output so far of each operation with a hint: an expression may choose a different operation for each item. */
	private readonly outputs = new Map<Operation, IDataObject[]>();

	/** Notes that an item begins. @returns where its changes are to be noted */
	begin(index: number): ItemChanges {
		const changes = noChanges(index);
		this.changes.push(changes);
		return changes;
	}

	/** Notes that an item has ended with an output, for the hint of its operation. */
	end(operation: Operation, output: readonly IDataObject[]): void {
		if (!operation.hint) return;
		const outputSoFar = this.outputs.get(operation) ?? [];
		for (const json of output) outputSoFar.push(json);
		this.outputs.set(operation, outputSoFar);
	}

	/** Adds to the error of the execution what all items have changed. */
	addTo(error: NodeApiError | NodeOperationError): void {
		addChanges(error, this.changes);
	}

	/** Logs what items have changed: n8n does not show the output of an execution that has failed, was stopped or is repeated. */
	log(ctx: IExecuteFunctions): void {
		const changed = describeChanges(this.changes);
		if (changed === '') return;
		const { name } = ctx.getNode();
		ctx.logger.warn(`The output of "${name}" may be lost. ${changed}`);
		for (const ids of unseenBeyond(this.changes)) {
			ctx.logger.warn(
				`Nobody has seen the new secrets that "${name}" gave to these webhooks: ${ids}`,
			);
		}
	}

	/** Has the editor show the hint of each operation above the output. */
	show(ctx: IExecuteFunctions): void {
		for (const [operation, output] of this.outputs) {
			const message = operation.hint?.(output);
			if (message !== undefined) ctx.addExecutionHints({ message, location: 'outputPane' });
		}
	}
}
