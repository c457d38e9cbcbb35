import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Operation, Result } from './operation';

/** What is said above the output of an execution, from all its items. */
export class Hints {
	private readonly outputs = new Map<Operation, IDataObject[]>();

	/** Notes that an item is done. */
	add({ operation, output }: Result): void {
		this.outputs.set(operation, [...(this.outputs.get(operation) ?? []), ...output]);
	}

	/** Shows the hints of the operations. n8n 1 cannot. */
	show(ctx: IExecuteFunctions): void {
		if (!('addExecutionHints' in ctx) || typeof ctx.addExecutionHints !== 'function') return;
		for (const [operation, output] of this.outputs) {
			const message = operation.hint?.(output);
			if (message !== undefined) ctx.addExecutionHints({ message, location: 'outputPane' });
		}
	}
}
