/** JSON without the changes that JavaScript makes silently, for routes whose values nobody here knows. */

/** What matters outside of texts: their quotation marks, escaped characters in them, and numbers. */
const TOKEN = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * A JSON text in which each integer that JavaScript cannot hold exactly is a text: 7615917337495251231 would become
 * 7615917337495251000. All else stays as it is.
 */
export function withExactIntegers(json: string): string {
	if (!/\d{16}/.test(json)) return json;
	let isInText = false;
	return json.replace(TOKEN, (token) => {
		if (token === '"') isInText = !isInText;
		if (isInText || !/^-?[1-9]\d{15,}$/.test(token)) return token;
		return Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
	});
}

/** Whether a value has more levels than that, for example lists in lists. */
export const isDeeperThan = (levels: number, value: unknown): boolean =>
	typeof value === 'object' &&
	value !== null &&
	(levels === 0 || Object.values(value).some((inside) => isDeeperThan(levels - 1, inside)));
