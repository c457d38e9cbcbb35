/** Parameters as a workflow stores them, and what their expressions return (D66). */

export const isExpression = (written: unknown): written is string =>
	typeof written === 'string' && written.startsWith('=');

/** What an expression returns that selects nothing; also in a list, which commas may separate. */
export const isNothing = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && /^[\s,]*$/.test(value)) ||
	(Array.isArray(value) && value.every(isNothing));
