import type { INodeParameters } from 'n8n-workflow';

import type { Selection } from '../model/selection';

/** The maximum number of nodes; beyond that, all are read again. */
const MAX_NODES = 500;

/** A field name in a condition may be written as an expression, but is never evaluated. */
const FIELD_NAME = 'leftValue';

/** Whether anything in a parameter is an expression, so that its value may differ from one delivery to the next. */
function isEvaluated(parameter: unknown): boolean {
	if (typeof parameter === 'string') return parameter.startsWith('=');
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.entries(parameter).some(
		([name, value]) => name !== FIELD_NAME && isEvaluated(value),
	);
}

/**
 * What the parameters of each node select. Reading them costs more than everything else that is done with a delivery,
 * and n8n gives the same parameters to each one until the workflow is changed.
 */
export class Selections {
	private readonly known = new Map<string, { stored: string; selection: Selection }>();

	get size(): number {
		return this.known.size;
	}

	/** Whether a node's selection is the same for every delivery until these parameters are changed. */
	isConstant(node: string, parameters: INodeParameters): boolean {
		return this.known.get(node)?.stored === JSON.stringify(parameters);
	}

	/**
	 * The selection of a node, read when its parameters have changed or contain expressions.
	 * @param parameters as n8n stores them
	 * @throws what `read` throws
	 */
	get(node: string, parameters: INodeParameters, read: () => Selection): Selection {
		const stored = JSON.stringify(parameters);
		const known = this.known.get(node);
		if (known?.stored === stored) return known.selection;
		const selection = read();
		if (!isEvaluated(parameters)) {
			if (this.known.size >= MAX_NODES) this.known.clear();
			this.known.set(node, { stored, selection });
		}
		return selection;
	}
}
