const HIDDEN = '(hidden)';

/** A text without the values that must not be shown, however often it repeats them. */
export const redact = (text: string, confidential: readonly string[]): string =>
	confidential
		.filter((value) => value !== '')
		.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
