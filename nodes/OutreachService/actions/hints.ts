/** The texts that the editor shows above the output of an execution. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Operation } from './operation';

/** The hints of an execution. An operation has one for the output of all its items, if it has any. */
export class ExecutionHints {
	/** The output so far of each operation with a hint: an expression may choose a different operation for each item. */
	private readonly outputs = new Map<Operation, IDataObject[]>();

	/** Notes the output of an item. */
	note(operation: Operation, output: readonly IDataObject[]): void {
		if (!operation.hint) return;
		const outputSoFar = this.outputs.get(operation) ?? [];
		for (const json of output) outputSoFar.push(json);
		this.outputs.set(operation, outputSoFar);
	}

	/** Has the editor show the hints. */
	show(ctx: IExecuteFunctions): void {
		for (const [operation, output] of this.outputs) {
			const message = operation.hint?.(output);
			if (message !== undefined) ctx.addExecutionHints({ message, location: 'outputPane' });
		}
	}
}
