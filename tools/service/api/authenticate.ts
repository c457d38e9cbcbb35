/**
 * §5.3: takes the API key out of an `Authorization` header: scheme Basic, base64 of `:KEY`.
 * @returns undefined for anything else: another scheme, a login, an empty key, what is no base64.
 */
export function apiKeyFrom(header: string | undefined): string | undefined {
	const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
	if (encoded === undefined) return undefined;
	const decoded = Buffer.from(encoded, 'base64').toString('utf8');
	return decoded.startsWith(':') && decoded.length > 1 ? decoded.slice(1) : undefined;
}
