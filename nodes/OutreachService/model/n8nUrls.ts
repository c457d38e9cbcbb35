/** Telling from a target URL whose webhook it is. */
import { normalizeUrl } from './targetUrl';

/**
 * The base of the webhook URLs of an n8n. It builds the URL of its REST API from that base (`WEBHOOK_URL`), so the base
 * is known wherever a node runs.
 * @param restApiUrl what n8n's `getRestApiUrl()` returns
 */
function webhookBase(restApiUrl: string): string | undefined {
	return URL.canParse(restApiUrl) ? normalizeUrl(new URL('.', restApiUrl).href) : undefined;
}

/** The path of a target URL below the base of the webhook URLs of an n8n; undefined for a URL of another host. */
export function pathInN8n(targetUrl: string, restApiUrl: string): string | undefined {
	const base = webhookBase(restApiUrl);
	const url = normalizeUrl(targetUrl);
	return base !== undefined && url.startsWith(base) ? url.slice(base.length) : undefined;
}

/**
 * What a target URL is to an n8n: its production URLs and its test URLs differ in their path.
 * @returns undefined for a URL of another host, as far as `WEBHOOK_URL` tells
 */
export function kindInN8n(
	targetUrl: string,
	restApiUrl: string,
): 'production' | 'test' | 'other' | undefined {
	const path = pathInN8n(targetUrl, restApiUrl);
	if (path === undefined) return undefined;
	if (path.startsWith('webhook/')) return 'production';
	return path.startsWith('webhook-test/') ? 'test' : 'other';
}

/** Whether a URL looks like one of a test run, in whatever n8n: it may have another host than the production URLs. */
export const isTestUrl = (url: string): boolean =>
	URL.canParse(url) && new URL(url).pathname.includes('/webhook-test/');

/**
 * Whether a URL has the form that a trigger registers, in whatever n8n: `…/<webhook ID>/webhook?event=…`, and with
 * several campaigns `&campaign=…`.
 */
export function isTriggerUrl(targetUrl: string): boolean {
	if (!URL.canParse(targetUrl)) return false;
	const { pathname, searchParams } = new URL(targetUrl);
	const names = [...searchParams.keys()].join();
	return /[^/]\/webhook$/.test(pathname.slice(-20)) && /^event(,campaign)?$/.test(names);
}

/**
 * The URL of a trigger as the trigger writes it, whatever the service made of its query (D29): it derives the secret
 * from the URL, letter by letter.
 */
export function asTriggerUrl(targetUrl: string): string {
	const [base = ''] = targetUrl.split('?');
	const query = [...new URL(targetUrl).searchParams].map(
		([name, value]) => `${name}=${value === '*' ? value : encodeURIComponent(value)}`,
	);
	return `${base}?${query.join('&')}`;
}
