import type { INodeParameters } from 'n8n-workflow';

const HIDDEN = '(hidden)';

/** A copy of a node's parameters in which nobody can read a secret: those of create and rotateSecret (§6.4). */
export function withoutSecrets(parameters: INodeParameters): INodeParameters {
	const { secret, additionalFields: fields, ...others } = parameters;
	const hasSecret = typeof fields === 'object' && fields !== null && 'secret' in fields;
	return {
		...others,
		...(fields === undefined ? {} : { additionalFields: fields }),
		...(hasSecret ? { additionalFields: { ...fields, secret: HIDDEN } } : {}),
		...(secret ? { secret: HIDDEN } : {}),
	};
}
