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
