/** An error with the status and plain text of its response (§7). */
export class Problem extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
		this.name = 'Problem';
	}
}

/** Parses JSON. @returns undefined if it is invalid. */
export function parseJson(text: unknown): { value: unknown } | undefined {
	if (typeof text !== 'string') return undefined;
	try {
		const value: unknown = JSON.parse(text);
		return { value };
	} catch {
		return undefined;
	}
}
