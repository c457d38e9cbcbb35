import { InvalidArgumentError } from 'commander';

/** Reads the value of an option that is a number from `min` on; with a text, a run would do nothing and report success. */
export const numberFrom =
	(min: number, kind: 'whole' | 'any' = 'whole') =>
	(text: string): number => {
		const value = Number(text);
		const isRead = text.trim() !== '' && (kind === 'any' || Number.isInteger(value));
		if (isRead && value >= min && value < Number.POSITIVE_INFINITY) return value;
		throw new InvalidArgumentError(
			`Must be a ${kind === 'whole' ? 'whole number' : 'number'} of at least ${min}.`,
		);
	};
