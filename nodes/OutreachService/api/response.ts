/** Reads a response: the result of its request, or the failure that it means. */
import { isJsonObject, parseJson } from '../utils/json';
import type { Outcome } from '../utils/settle';
import { formsOf, problemWithBody } from './acceptance';
import type { ServiceCredential } from './credential';
import { RequestError } from './errors';
import { isGatewayTimeout, RESPONSES, type Failure, type ResponseFailure } from './failures';
import { isSuccess, type HttpResponse } from './http';
import { looksLikePage } from './page';
import { quoteOf } from './quote';
import { isRefusedByLimit, waitAskedFor } from './rateLimit';

/** How many characters of a body are searched for an error text. */
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

/** Whether a body is an error text of the API, alone or as an error in JSON (§7). It decides at any status (D5). */
const hasErrorText = (words: string, body: string): boolean => {
	const inJson = `"(?:error|message|detail)"\\s*:\\s*"[^\\w"]*${words}[^\\w"]*"`;
	const pattern = new RegExp(`^\\W*${words}\\W*$|${inJson}`, 'i');
	return pattern.test(body.slice(0, LONGEST_ERROR));
};

/** The error texts of the API, in lower case, and the failure that each means whatever the status is (§7, D5). */
export const ERROR_TEXTS: Readonly<Record<string, ResponseFailure>> = {
	'bad team': 'team',
	'webhook not found': 'notFound',
};

/** The failure that a body means by its text, whatever the status is; undefined for any other body. */
const failureByText = (body: string): ResponseFailure | undefined =>
	Object.entries(ERROR_TEXTS).find(([words]) => hasErrorText(words, body))?.[1];

/** Whether a body is one of the error texts of the API. */
export function isKnownError(text: string): boolean {
	if (failureByText(text) === undefined) return false;
	// Data of another route may have these words in it, such as a log of deliveries that have failed.
	const json = parseJson(text);
	return typeof json !== 'object' || json === null || isErrorBody(json);
}

/** Whether a value is a text, a number, true or false. */
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Whether a body is a short error in JSON that says what is wrong, and has nothing else in it that could be data. (No error quotes
 * a long body.)
 */
function isErrorText(body: string): boolean {
	if (body.length > LONGEST_ERROR) return false;
	const json = parseJson(body);
	if (!isJsonObject(json) || !isErrorBody(json)) return false;
	const { error, ...others } = json;
	const inside = isJsonObject(error) ? error : { error };
	const values = [...Object.values(others), ...Object.values(inside)];
	const hasWords = ['error', 'message', 'detail', 'title'].some((name) => name in json);
	return (
		hasWords && values.every((value) => value === null || value === undefined || isPlain(value))
	);
}

/** Whether a body is an error in JSON that says that the request has failed, whatever its status is. */
export function saysFailed(body: string): boolean {
	const json = parseJson(body);
	if (!isJsonObject(json) || !isErrorBody(json)) return false;
	const { success, ok, error, errors } = json;
	if (success === true || ok === true) return false;
	return success === false || ok === false || isSaid(error) || isSaid(errors);
}

/** Whether a field says something: neither that there is no error, nor nothing. */
const isSaid = (value: unknown): boolean =>
	Array.isArray(value) ? value.length > 0 : Boolean(value);

/** The statuses that say that the request is not allowed: also because nobody has paid for it, or because of a law. */
const FORBIDDEN = [402, 403, 451];

/** The statuses that say that nothing is at the path, or not for the method of the request. */
const NO_SUCH_PATH = [404, 405, 410];

const DUPLICATE = /already (exists|in use|taken|registered)|duplicate|must be unique/i;

/**
 * Decides which failure a response is (§7): the first rule that applies.
 * @param bodyFailure the failure that the body is, whatever it says
 */
function responseFailure(
	{ status, text }: HttpResponse,
	bodyFailure: ResponseFailure | undefined,
): ResponseFailure {
	// Pages and 407 come from something in between, whatever the API says with the same status (D92).
	if (status === 407) return 'proxyLogin';
	// A rate limit in front of the service refuses with a page, and it has carried out nothing either (D4).
	const isPage = looksLikePage(text);
	if (isPage && isRefusedByLimit(status)) return 'rateLimit';
	const mayHaveActed = status >= 500 || isGatewayTimeout(status);
	if (isPage) return mayHaveActed ? 'server' : 'page';
	const byText = failureByText(text);
	if (byText !== undefined) return byText;
	if (status === 401) return 'key';
	if (FORBIDDEN.includes(status)) return 'forbidden';
	if (isRefusedByLimit(status)) return 'rateLimit';
	const mentionsDuplicate = DUPLICATE.test(text.slice(0, LONGEST_ERROR));
	const isDuplicate = [400, 422].includes(status) && mentionsDuplicate;
	if (status === 409 || isDuplicate) return 'conflict';
	// What shows that a response is not the service's (D6).
	if (status < 300) return bodyFailure ?? 'unexpected';
	if (status < 400) return 'redirect';
	if (NO_SUCH_PATH.includes(status)) return 'noSuchPath';
	return mayHaveActed ? 'server' : 'badRequest';
}

/** How a request reads the response to it. */
export type ResponseReading<T> = {
	/** Reads the result from a 2xx; returns undefined when the response does not contain it. */
	parse: (response: HttpResponse) => T | undefined;
	/** The maximum number of levels of the JSON in the response; without it, as many as an item may have. */
	maxDepth?: number;
	/** The failures that mean another one for this request: not each is about a target URL, or for a route of §4. */
	otherMeanings: Partial<Record<ResponseFailure, ResponseFailure>>;
};

/**
 * Reads the result of a request from its response, or what the response means without it.
 * @param request its body can have secrets, which no error quotes
 */
export function readResponse<T>(
	response: HttpResponse,
	{ parse, maxDepth, otherMeanings, body }: ResponseReading<T> & { body?: unknown },
	{ baseUrl, apiKey }: ServiceCredential,
): Outcome<T, RequestError> {
	const keyForms = formsOf(apiKey);
	const bodyFailure = problemWithBody(response, keyForms, maxDepth);
	if (isSuccess(response.status) && bodyFailure === undefined) {
		const value = parse(response);
		if (value !== undefined) return { ok: true, value };
	}
	// An error may quote the response, but not what is secret in the request. `keyForms` leaves out a short key, which texts
	// contain by chance. An error must not quote even that, so the key itself is added.
	const confidential = [apiKey, ...keyForms, ...secretsIn(body)];
	const { host } = new URL(baseUrl);
	const error = responseError(response, host, { confidential, bodyFailure, otherMeanings });
	return { ok: false, error };
}

/** The secrets in the body of a request: that of a create, or those anywhere in the body of *Make an API Request*. */
function secretsIn(body: unknown): string[] {
	if (Array.isArray(body)) return body.flatMap(secretsIn);
	if (!isJsonObject(body)) return [];
	return Object.entries(body).flatMap(([name, value]) =>
		name === 'secret' && typeof value === 'string' ? [value] : secretsIn(value),
	);
}

/** What is known of a request. */
type RequestFacts = {
	/** The values that a service may repeat in an error, and that nobody must see. */
	confidential?: readonly string[];
	/** The failure that the body of its response is, whatever it says. */
	bodyFailure?: ResponseFailure | undefined;
	/** The failures that mean another one for it. */
	otherMeanings?: Partial<Record<ResponseFailure, ResponseFailure>>;
};

/** The error for a response that is not the result of its request. @param host the host of the service, for texts */
export function responseError(
	response: HttpResponse,
	host: string,
	{ confidential = [], bodyFailure, otherMeanings = {} }: RequestFacts = {},
): RequestError {
	const { status, text } = response;
	const usualFailure = responseFailure(response, bodyFailure);
	const failure = otherMeanings[usualFailure] ?? usualFailure;
	// A success contains data, unless it is an error and nothing else.
	const isData = isSuccess(status) && !isErrorText(text);
	const quote = isData ? '' : quoteOf(text, confidential);
	const facts: Failure = RESPONSES[failure]({ host, status, quote });
	// Only an error may pass: a 2xx or a 3xx without the result is what the wrong host has at this URL (D4).
	const mayPass = status >= 400 && facts.recovery !== 'never';
	const askedMs = mayPass ? waitAskedFor(response) : undefined;
	return new RequestError(failure, facts, { status, askedMs });
}
