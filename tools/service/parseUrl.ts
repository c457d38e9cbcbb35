/** Parses a URL; undefined when the text is none. As the nodes, it does without `URL.canParse()`, which Node.js 20 gets wrong. */
export function parseUrl(text: string): URL | undefined {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
}
