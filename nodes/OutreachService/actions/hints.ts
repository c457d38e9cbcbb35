import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Operation, Result } from './operation';

/** What is said above the output of an execution, from all its items. */
export class Hints {
	private readonly outputs = new Map<Operation, IDataObject[]>();

	/** Notes that an item is done. */
	add({ operation, output }: Result): void {
		this.outputs.set(operation, [...(this.outputs.get(operation) ?? []), ...output]);
	}

	/** Shows the hints of the operations, and another one. n8n 1 cannot. */
	show(ctx: Partial<Pick<IExecuteFunctions, 'addExecutionHints'>>, more?: string): void {
		const messages = [...this.outputs].map(([operation, output]) => operation.hint?.(output));
		for (const message of [...messages, more]) {
			if (message !== undefined) ctx.addExecutionHints?.({ message, location: 'outputPane' });
		}
	}
}
