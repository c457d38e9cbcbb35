/**
 * The URL that a text is; undefined when it is none. `URL.canParse()` cannot tell: on Node.js 20, it denies URLs with
 * letters such as 'ü' once it has been called some two thousand times.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
