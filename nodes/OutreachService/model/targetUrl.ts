/** Decodes a percent-encoded text; one that is not validly encoded stays as it is. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * A target URL in one notation, for comparing: a service may list it in another one than it was sent in (D29). Host in
 * lower case, no default port, no fragment, one percent-encoding, the query sorted. Anything that is not a URL stays as it is.
 */
export function normalizeUrl(url: string): string {
	if (!URL.canParse(url)) return url;
	const { protocol, host, pathname, search } = new URL(url);
	const path = pathname
		.split('/')
		.map((segment) => encodeURIComponent(decoded(segment)))
		.join('/');
	const parameters = new URLSearchParams(search);
	parameters.sort();
	const query = parameters.toString();
	return `${protocol}//${host}${path}${query ? `?${query}` : ''}`;
}

/** Whether two target URLs are the same, however they are written (D29). */
export const isSameUrl = (one: string, other: string): boolean =>
	one === other || normalizeUrl(one) === normalizeUrl(other);

/** Whether something can be posted to a target URL: a webhook of another program may have anything there. */
export const isHttpUrl = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/**
 * Whether only its own machine reaches a URL, as far as its host tells (D33). No name is resolved: what n8n sees says
 * little about what the service sees.
 */
export function isLocalUrl(url: string): boolean {
	// URL writes every notation of an address in one way: 127.1 as 127.0.0.1.
	const host = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
	return (
		/(^|\.)localhost$/.test(host) ||
		/^(127|0)(\.\d+){3}$/.test(host) ||
		/^\[::(1|ffff:7f[\da-f]{2}:[\da-f]+)?\]$/.test(host)
	);
}
