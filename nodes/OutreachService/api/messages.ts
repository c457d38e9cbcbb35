/** Every way in which a request can fail: what it is, and what a person who builds workflows is told about it. */
import { z } from 'zod';

import { parseJson } from '../utils/json';
import { RequestError, type ErrorText, type Kind } from './errors';
import { isSuccess, type Response } from './http';
import { looksLikePage, quoteOf } from './quote';
import { REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimiter';
import { waitAskedFor } from './retry';

/** The maximum number of characters of a body that are read: a longer one is no error text. */
const LONGEST_ERROR = 1_000;
const LONGEST_TEXT = 200;

const objectSchema = z.record(z.unknown());

const errorTextSchema = z
	.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)])
	.transform((text) => [text])
	.catch([]);

const errorTextsOf = ({ error, message, detail }: Record<string, unknown>): string[] =>
	[error, message, detail].flatMap((value) => errorTextSchema.parse(value));

/** What a body says, as one or several texts: the fields of a JSON object that hold an error, otherwise its beginning. */
function errorTextsIn(body: string): string[] {
	const text = body.slice(0, LONGEST_ERROR);
	const isObject = text.trimStart().startsWith('{');
	const object = isObject ? objectSchema.safeParse(parseJson(text)).data : undefined;
	return object ? errorTextsOf(object) : [text.slice(0, LONGEST_TEXT)];
}

/** What stands beside the text of an error. */
const COMPANIONS = [
	...['error', 'errors', 'message', 'detail', 'details', 'title', 'type', 'code', 'status'],
	...['statusCode', 'success', 'ok', 'path', 'instance', 'timestamp', 'requestId', 'traceId'],
];

/** Whether the JSON of a response is an error and nothing else: a gateway may send it with a 2xx (§7, D6). */
export function isErrorBody(json: unknown): boolean {
	const object = objectSchema.safeParse(json).data;
	if (!object) return false;
	const { errors, success, ok } = object;
	const isError =
		errorTextsOf(object).length > 0 || Array.isArray(errors) || success === false || ok === false;
	const others = Object.entries(object).filter(([key]) => !COMPANIONS.includes(key));
	return isError && others.every(([, value]) => value === null);
}

/** The two error texts of the API spec decide, whatever the status (§7, D5). */
const isNotFound = (body: string): boolean =>
	errorTextsIn(body).some((text) => /^\W*webhook not found\W*$/i.test(text));
const isBadTeam = (body: string): boolean =>
	errorTextsIn(body).some((text) => /^\W*bad team\W*$/i.test(text));

const BASE_URL_HINT =
	"Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.";

/** What to do about a webhook that the service does not have. */
export const NOT_FOUND_HINT =
	"It may already be deleted, or belong to another team than the API key. List the webhooks with the operation 'Get Many' to see which there are.";

/** The service has a webhook with this target URL already (D7). */
export const CONFLICT: ErrorText = {
	message: 'The service already has a webhook with this target URL',
	description:
		"It allows each target URL only once. Find the other webhook with the operation 'Get Many', and delete it or use another target URL.",
};

/** n8n's protection against server-side request forgery does not let a request out. */
export const BLOCKED: ErrorText = {
	message: 'n8n blocked the request to the service',
	description:
		'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).',
};

/** A response, the host that it comes from, and what may be shown of its body. */
type Given = Response & { host: string; quote: string };

type Row = [fits: (response: Given) => boolean, kind: Kind, say: (response: Given) => ErrorText];

const OTHER: Row = [
	() => true,
	'rejected',
	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
	({ status, quote }) => ({
		message: `The service refused the request with status ${status}${quote}`,
		description: `Check the values of the node: the service responded with status ${status}${quote}.`,
	}),
];

/** The first row that fits a response decides. */
const RESPONSES: readonly Row[] = [
	[
		({ text }) => isBadTeam(text),
		'unauthorized',
		() => ({
			message: 'The service does not know the team of this API key',
			description:
				'It responded with "Bad team". Check in the account settings that the team still exists and that the key belongs to it, then put a current key into the credential.',
		}),
	],
	[
		({ text }) => isNotFound(text),
		'notFound',
		() => ({ message: 'The webhook was not found', description: NOT_FOUND_HINT }),
	],
	[
		({ status }) => status === 401 || status === 403,
		'unauthorized',
		// Without the word 'Authorization': n8n gives up on reactivating a workflow whose error has it.
		({ status }) => ({
			message: 'The service did not accept the API key',
			description: `It responded with status ${status}. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.`,
		}),
	],
	[
		({ status }) => status === 429,
		'rateLimited',
		() => ({
			message: 'The service kept refusing because of its rate limit',
			description: `It allows ${REQUESTS_PER_WINDOW} requests in ${WINDOW_MS / 1000} seconds for each API key. This n8n process stayed within that limit and waited each time, so another program, or another n8n process, uses the same key. Find it, or create a separate key for n8n.`,
		}),
	],
	[
		({ status, text }) =>
			status === 409 ||
			([400, 422].includes(status) &&
				/already (exists|in use|taken|registered)|duplicate|must be unique/i.test(
					text.slice(0, LONGEST_TEXT),
				)),
		'conflict',
		() => CONFLICT,
	],
	[
		({ status }) => status >= 300 && status < 400,
		'rejected',
		({ host }) => ({
			message: `${host} redirects to another URL`,
			description: `The node does not follow redirects, so that the API key reaches no other host. ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status, isCut }) => status < 300 && isCut,
		'unparsable',
		({ host }) => ({
			message: `The response of ${host} is too large`,
			description: `Only its beginning was read. ${BASE_URL_HINT} If it is right, the team has far too many webhooks: delete those that nobody needs.`,
		}),
	],
	[
		({ status, text }) => status < 300 || (status < 500 && looksLikePage(text)),
		'unparsable',
		({ status, text, host }) => ({
			message: `${host} does not look like the service's API`,
			description: `${looksLikePage(text) ? 'It responded with a web page' : 'Its response is not what the API sends'} (status ${status}). ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status }) => status === 404 || status === 405,
		'rejected',
		({ status, quote, host }) => ({
			message: `The API was not found at ${host}`,
			description: `The host responded with status ${status}${quote}. ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status }) => status >= 500,
		'server',
		({ status, quote }) => ({
			message: `The service could not carry out the request (status ${status})`,
			description: `The cause is on its side. It responded with status ${status}${quote}. Try again later.`,
		}),
	],
	OTHER,
];

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
	const given = { ...response, host, quote };
	const [, kind, say] = RESPONSES.find(([fits]) => fits(given)) ?? OTHER;
	// Waiting does not make a key or a team valid.
	const isFinal = status < 400 || status === 401 || isBadTeam(text);
	return new RequestError(kind, say(given), {
		status,
		retryAfterMs: isFinal ? undefined : waitAskedFor(response),
		maybeDone: kind === 'server' || (kind === 'unparsable' && isSuccess(status)),
	});
}

const isTimeout = (code: string): boolean =>
	['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT'].includes(code);

/** Their failures look like those of the host. */
const PROXY_HINT = ', and the proxy of n8n if it has one (HTTP_PROXY or HTTPS_PROXY).';

type Connection = {
	fits: (code: string) => boolean;
	/** Whether the service may have received the request. */
	mayHaveArrived: boolean;
	/** What is said of a target URL. */
	why: (timeoutMs: number) => string;
	say: (host: string, code: string) => ErrorText;
};

const CUT_OFF: Connection = {
	fits: () => true,
	mayHaveArrived: true,
	why: () => 'The connection was cut off',
	say: (host, code) => ({
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the response was complete (${code}). Try again later; if it happens often, check the network of n8n.`,
	}),
};

/** The first that fits the code of a connection decides. */
const CONNECTIONS: readonly Connection[] = [
	{
		fits: (code) => code === 'ENOTFOUND' || code === 'EAI_AGAIN',
		mayHaveArrived: false,
		why: () => 'The host could not be found',
		say: (host, code) => ({
			message: `The host ${host} could not be found`,
			description: `The name does not exist, or the DNS server cannot be reached (${code}). Check the 'Base URL' in the credential letter by letter${PROXY_HINT}`,
		}),
	},
	{
		fits: (code) => code === 'ECONNREFUSED',
		mayHaveArrived: false,
		why: () => 'Nothing is listening there',
		say: (host, code) => ({
			message: `Nothing is listening at ${host}`,
			description: `The connection was refused (${code}). Check host and port of the 'Base URL' in the credential, and whether a firewall is in between${PROXY_HINT}`,
		}),
	},
	{
		fits: isTimeout,
		mayHaveArrived: true,
		why: (timeoutMs) => `There was no response within ${timeoutMs / 1000} seconds`,
		say: (host, code) => ({
			message: `${host} did not respond in time`,
			description: `The response was not complete in time (${code}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
		}),
	},
	{
		fits: (code) => /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code),
		mayHaveArrived: false,
		why: () => 'No secure connection could be made',
		say: (host, code) => ({
			message: `No secure connection to ${host} could be made`,
			description: `Its certificate is not valid for this host, or it does not speak HTTPS there (${code}). Check the 'Base URL' in the credential; behind a company proxy, n8n must trust the certificate of the proxy.`,
		}),
	},
	CUT_OFF,
];

const connectionOf = (code: string): Connection =>
	CONNECTIONS.find(({ fits }) => fits(code)) ?? CUT_OFF;

/** The error for a request without a response. @param code of the connection, such as ECONNREFUSED */
export function connectionError(code: string, host: string): RequestError {
	const { say, mayHaveArrived } = connectionOf(code);
	const kind = isTimeout(code) ? 'timeout' : 'network';
	return new RequestError(kind, say(host, code), { code, maybeDone: mayHaveArrived });
}

/**
 * Why a target URL cannot be reached, in a sentence.
 * @param code of the connection, such as ECONNREFUSED
 * @param timeoutMs how long a response could take, in milliseconds
 */
export const whyUnreachable = (code: string, timeoutMs: number): string =>
	`${connectionOf(code).why(timeoutMs)} (${code}).`;
