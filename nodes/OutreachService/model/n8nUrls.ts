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
