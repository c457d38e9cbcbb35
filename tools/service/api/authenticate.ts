/**
 * Reads the API key from an `Authorization` header: scheme Basic with the base64 encoding of `:KEY` (§5.3).
 * @returns undefined for anything else, such as another scheme, a login, an empty key or invalid base64.
 */
export function apiKeyFrom(header: string | undefined): string | undefined {
	const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
	if (encoded === undefined) return undefined;
	const decoded = Buffer.from(encoded, 'base64').toString('utf8');
	return decoded.startsWith(':') && decoded.length > 1 ? decoded.slice(1) : undefined;
}
