/** Parses a URL without `URL.canParse()`, which is wrong on Node.js 20. */

/**
 * A URL; undefined when the text is none. `URL.canParse()` denies URLs with letters such as 'ü' once it has been called some
 * two thousand times.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
