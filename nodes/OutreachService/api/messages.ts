/** What a response means that is not what was asked for, and what a person who builds workflows is told about it. */
import { RequestError, type ErrorText, type Kind } from './errors';
import { isSuccess, type Response } from './http';
import { looksLikePage, quoteOf } from './quote';
import { REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimiter';
import { waitAskedFor } from './retry';

/** The maximum number of characters of a body that are read: a longer one is no error text. */
const LONGEST_ERROR = 1_000;

/** What stands beside the text of an error. */
const ERROR_FIELDS = [
	...['error', 'errors', 'message', 'detail', 'details', 'title', 'type', 'code', 'status'],
	...['statusCode', 'success', 'ok', 'path', 'instance', 'timestamp', 'requestId', 'traceId'],
];

/** Whether the JSON of a response is an error and nothing else: a gateway may send it with a 2xx (§7, D6). */
export function isErrorBody(json: object): boolean {
	// A response may have millions of fields, and an error has few.
	if (Object.keys(json).length > 2 * ERROR_FIELDS.length) return false;
	const set = Object.entries(json).filter(([, value]) => value !== null);
	return set.length > 0 && set.every(([key]) => ERROR_FIELDS.includes(key));
}

/** The two error texts of the API spec decide, whatever the status: alone, or as an error in JSON (§7, D5). */
const says = (words: string, body: string): boolean => {
	const inJson = `"(?:error|message|detail)"\\s*:\\s*"[^\\w"]*${words}[^\\w"]*"`;
	const pattern = new RegExp(`^\\W*${words}\\W*$|${inJson}`, 'i');
	return pattern.test(body.slice(0, LONGEST_ERROR));
};

/** What to do about a webhook that the service does not have. */
export const NOT_FOUND_HINT =
	"It may already be deleted, or belong to another team than the API key. List the webhooks with the operation 'Get Many' to see which there are.";

/** The service has a webhook with this target URL already (D7). */
export const CONFLICT: ErrorText = {
	message: 'The service already has a webhook with this target URL',
	description:
		"It allows each target URL only once. Find the other webhook with the operation 'Get Many', and delete it or use another target URL.",
};

/** What shows that a response is not the service's, in words; undefined when it may be (D6). */
function oddityOf({ status, text, isCut }: Response): string | undefined {
	if (status >= 300 && status < 400) {
		return 'It redirects to another URL. The node does not follow it, so that the API key reaches no other host';
	}
	if (status < 500 && looksLikePage(text)) return 'It responded with a web page';
	if (status < 300) {
		return isCut
			? 'Its response is too large to be read. If the URL is right, the team has far too many webhooks'
			: 'Its response is not what the API sends';
	}
	return status === 404 || status === 405 ? 'It does not have the path of the API' : undefined;
}

const DUPLICATE = /already (exists|in use|taken|registered)|duplicate|must be unique/i;

type Reading = ErrorText & { kind: Kind };

/** What a response means that is not what was asked for. @param quote what may be shown of its body */
function readingOf(response: Response, host: string, quote: string): Reading {
	const { status, text } = response;
	if (says('bad team', text)) {
		return {
			kind: 'unauthorized',
			message: 'The service does not know the team of this API key',
			description:
				'It responded with "Bad team". Check in the account settings that the team still exists and that the key belongs to it, then put a current key into the credential.',
		};
	}
	if (says('webhook not found', text)) {
		return {
			kind: 'notFound',
			message: 'The webhook was not found',
			description: NOT_FOUND_HINT,
		};
	}
	if (status === 401 || status === 403) {
		return {
			kind: 'unauthorized',
			// Without the word 'Authorization': n8n gives up on reactivating a workflow whose error has it.
			message: 'The service did not accept the API key',
			description: `It responded with status ${status}. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.`,
		};
	}
	if (status === 429) {
		return {
			kind: 'rateLimited',
			message: 'The service kept refusing because of its rate limit',
			description: `It allows ${REQUESTS_PER_WINDOW} requests in ${WINDOW_MS / 1000} seconds for each API key. This n8n process stayed within that limit and waited each time, so another program, or another n8n process, uses the same key. Find it, or create a separate key for n8n.`,
		};
	}
	const mentionsDuplicate = DUPLICATE.test(text.slice(0, LONGEST_ERROR));
	if (status === 409 || ([400, 422].includes(status) && mentionsDuplicate)) {
		return { kind: 'conflict', ...CONFLICT };
	}
	const oddity = oddityOf(response);
	if (oddity !== undefined) {
		return {
			kind: 'unparsable',
			message: `${host} does not look like the service's API`,
			description: `${oddity} (status ${status}${quote}). Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.`,
		};
	}
	if (status >= 500) {
		return {
			kind: 'server',
			message: `The service could not carry out the request (status ${status})`,
			description: `The cause is on its side. It responded with status ${status}${quote}. Try again later.`,
		};
	}
	return {
		kind: 'rejected',
		// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
		message: `The service refused the request with status ${status}${quote}`,
		description: `Check the values of the node: the service responded with status ${status}${quote}.`,
	};
}

/**
 * The error for a response that is not what was asked for.
 * @param confidential what a service may repeat in an error, and nobody must see
 */
export function responseError(
	response: Response,
	host: string,
	confidential: readonly string[] = [],
): RequestError {
	const { status, text } = response;
	const quote = isSuccess(status) ? '' : quoteOf(text, confidential);
	const { kind, ...shown } = readingOf(response, host, quote);
	// Waiting does not make a key or a team valid, nor does it bring a webhook back.
	const isFinal = status < 400 || status === 401 || kind === 'notFound' || says('bad team', text);
	return new RequestError(kind, shown, {
		status,
		retryAfterMs: isFinal ? undefined : waitAskedFor(response),
		maybeDone: kind === 'server' || (kind === 'unparsable' && isSuccess(status)),
	});
}
