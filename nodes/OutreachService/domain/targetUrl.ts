/** Comparing target URLs, and who can reach them. */
import { parseUrl } from '../utils/parseUrl';

/** The maximum number of characters of a URL that is entered: longer ones do not work everywhere. */
export const LONGEST_URL = 2_000;

/** A percent-encoded text, decoded. A text whose encoding is not valid stays as it is. */
export function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * A target URL in a single notation, for comparing: a service may change the notation (D29). The host is in lower case,
 * without a default port; there is no fragment and one kind of percent-encoding; and the query is sorted. A text that is no
 * URL stays as it is.
 */
export function normalizeUrl(url: string): string {
	const parsed = parseUrl(url);
	if (!parsed) return url;
	const { protocol, host, pathname, search } = parsed;
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
export const isSameUrl = (first: string, second: string): boolean =>
	first === second || normalizeUrl(first) === normalizeUrl(second);

/** Whether something can be posted to a target URL: a webhook of another program may have anything there. */
export const isHttpUrl = (url: string): boolean =>
	/^https?:\/\//i.test(url) && parseUrl(url) !== undefined;

/**
 * Whether only its own machine reaches a URL, as far as its host tells (D33). No name is resolved, because a name may
 * resolve differently for n8n and for the service.
 */
export function isLocalUrl(url: string): boolean {
	// URL writes every notation of an address in one way: 127.1 as 127.0.0.1.
	const host = parseUrl(url)?.hostname.replace(/\.$/, '') ?? '';
	return (
		/(^|\.)localhost$/.test(host) ||
		/^(127|0)(\.\d+){3}$/.test(host) ||
		/^\[::(1|ffff:7f[\da-f]{2}:[\da-f]+)?\]$/.test(host)
	);
}

/** Whether a service at one URL cannot reach another URL, because only its own machine does (D33). */
export const isOutOfReach = (url: string, serviceUrl: string): boolean =>
	isLocalUrl(url) && !isLocalUrl(serviceUrl);
