import type { INodeParameters } from 'n8n-workflow';

const HIDDEN = '(hidden)';

/** A copy of a node's parameters without the secrets of Create and Rotate Secret (§6.4). */
export function redacted(parameters: INodeParameters): INodeParameters {
	const { secret, additionalFields: fields, ...others } = parameters;
	const hasSecret = typeof fields === 'object' && fields !== null && 'secret' in fields;
	return {
		...others,
		...(fields === undefined ? {} : { additionalFields: fields }),
		...(hasSecret ? { additionalFields: { ...fields, secret: HIDDEN } } : {}),
		...(secret ? { secret: HIDDEN } : {}),
	};
}
