/** What a response means if it is not the result of its request. */
import type { Rejection } from './acceptance';
import { RequestError } from './errors';
import { RESPONSES, type Facts } from './failures';
import { isSuccess, type HttpResponse } from './http';
import { looksLikePage, quoteOf } from './quote';
import { waitAskedFor } from './retry';

/** The maximum number of characters of a body that are read: a longer one is no error text. */
const LONGEST_ERROR = 1_000;

/** The fields of an error in JSON. */
const ERROR_FIELDS = [
	'error',
	'errors',
	'message',
	'detail',
	'details',
	'title',
	'type',
	'code',
	'status',
	'statusCode',
	'success',
	'ok',
	'path',
	'instance',
	'timestamp',
	'requestId',
	'traceId',
];

/** Whether the JSON of a response is an error and nothing else: a gateway may send it with a 2xx (§7, D6). */
export function isErrorBody(json: object): boolean {
	// A response may have millions of fields, and an error has few.
	if (Object.keys(json).length > 2 * ERROR_FIELDS.length) return false;
	const entries = Object.entries(json).filter(([, value]) => value !== null);
	return entries.length > 0 && entries.every(([key]) => ERROR_FIELDS.includes(key));
}

/** Whether a body is an error text of the API spec, alone or as an error in JSON (§7). It decides at any status (D5). */
const hasErrorText = (words: string, body: string): boolean => {
	const inJson = `"(?:error|message|detail)"\\s*:\\s*"[^\\w"]*${words}[^\\w"]*"`;
	const pattern = new RegExp(`^\\W*${words}\\W*$|${inJson}`, 'i');
	return pattern.test(body.slice(0, LONGEST_ERROR));
};

/** Whether a body is one of the two error texts of the API spec, which a service may send with any status (D5). */
export const isKnownError = (text: string): boolean =>
	hasErrorText('bad team', text) || hasErrorText('webhook not found', text);

/** What shows that a response is not the service's, in words; undefined when it may be (D6). */
function oddityOf({ status }: HttpResponse, rejection: Rejection | undefined): string | undefined {
	if (status >= 300 && status < 400) {
		return 'It redirects to another URL. The node does not follow it, so that the API key reaches no other host';
	}
	if (status < 300) {
		if (rejection === 'tooLarge') {
			return 'Its response is too large to be read. If the URL is right, the team has far too many webhooks';
		}
		if (rejection === 'repeatsKey') {
			return 'Its response repeats the API key, so nothing of it is shown. If the URL is right, a webhook has the key in its target URL: delete it in the service, and replace the key';
		}
		return 'Its response is not what the API sends';
	}
	return status === 404 || status === 405 ? 'It does not have the path of the API' : undefined;
}

const DUPLICATE = /already (exists|in use|taken|registered)|duplicate|must be unique/i;

/** Decides what a response means (§7): the first rule that applies. */
function failureOf(
	response: HttpResponse,
	{ rejection, isAnyRoute }: Expected,
): keyof typeof RESPONSES | { oddity: string } {
	const { status, text } = response;
	// Pages and 407 come from something in between, whatever the API says with the same status (D92).
	if (status === 407) return 'proxyLogin';
	if (looksLikePage(text)) return status >= 500 ? 'server' : 'page';
	if (hasErrorText('bad team', text)) return 'team';
	if (hasErrorText('webhook not found', text)) return 'notFound';
	if (status === 401) return 'key';
	if (status === 403) return 'forbidden';
	if (status === 429) return 'rateLimit';
	if (isAnyRoute && [404, 405].includes(status)) return 'route';
	if (isAnyRoute && status === 409) return 'refused';
	const mentionsDuplicate = DUPLICATE.test(text.slice(0, LONGEST_ERROR));
	const isDuplicate = [400, 422].includes(status) && mentionsDuplicate;
	if (status === 409 || (isDuplicate && !isAnyRoute)) return 'conflict';
	const oddity = oddityOf(response, rejection);
	if (oddity !== undefined) return { oddity };
	return status >= 500 ? 'server' : 'refused';
}

/** What is known of a request, apart from its response. */
type Expected = {
	/** The values that a service may repeat in an error, and that nobody must see. */
	confidential?: readonly string[];
	/** Why the body must not be used. */
	rejection?: Rejection | undefined;
	/** Whether the route is none that the node knows. */
	isAnyRoute?: boolean;
};

/** The error for a response that is not the result of its request. @param host the host of the service, for texts */
export function responseError(
	response: HttpResponse,
	host: string,
	{ confidential = [], rejection, isAnyRoute = false }: Expected = {},
): RequestError {
	const { status, text } = response;
	const reason = rejection ?? (response.isCut ? 'tooLarge' : undefined);
	const failure = failureOf(response, { rejection: reason, isAnyRoute });
	const name = typeof failure === 'string' ? failure : 'foreign';
	const facts: Facts = {
		host,
		status,
		quote: isSuccess(status) ? '' : quoteOf(text, confidential),
		code: '',
		proxy: '',
		oddity: typeof failure === 'string' ? '' : failure.oddity,
	};
	const { kind, message, description } = RESPONSES[name](facts);
	// 'Bad team' and 'Webhook not found' are the service's own words: it has done nothing, whatever the status (D5).
	const hasDoneNothing = name === 'team' || name === 'notFound';
	// Waiting does not make a key or a team valid, nor does it bring a webhook back.
	const isFinal = status < 400 || ['key', 'team', 'notFound', 'proxyLogin'].includes(name);
	return new RequestError(
		kind,
		{ message, description },
		{
			status,
			retryAfterMs: isFinal ? undefined : waitAskedFor(response),
			maybeDone: !hasDoneNothing && (status >= 500 || (kind === 'unparsable' && isSuccess(status))),
		},
	);
}
