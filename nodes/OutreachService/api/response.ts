/** Reads a response: the result of its request, or the failure that it means. */
import { isJsonObject, parseJson } from '../utils/json';
import type { Outcome } from '../utils/settle';
import {
	formsOf,
	looksLikePage,
	problemWithBody,
	quoteOf,
	reasonIn,
	type BodyProblem,
} from './body';
import type { ServiceCredential } from './credential';
import { RequestError } from './errors';
import type { FailureFacts, Progress, RequestFailure } from './failures';
import { isSuccess, type HttpResponse } from './http';
import { isRefusedByLimit, waitAskedFor } from './rateLimit';

/** How many characters an error text of the API has at most, whatever it is wrapped in. */
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
export function isErrorBody(json: unknown): boolean {
	if (!isJsonObject(json)) return false;
	const entries = Object.entries(json).filter(([, value]) => value !== null);
	return entries.length > 0 && entries.every(([key]) => ERROR_FIELDS.includes(key));
}

/** The error texts of the API, in lower case, and the failure that each means whatever the status is (§7, D5). */
const ERROR_TEXTS = { 'bad team': 'team', 'webhook not found': 'notFound' } as const;

/** The reason that a body gives, if it is an error in JSON and nothing else. A long body is not even parsed for it. */
function reasonOfError(body: string): string {
	const json = body.length > LONGEST_ERROR ? undefined : parseJson(body);
	return isErrorBody(json) ? reasonIn(json) : '';
}

/**
 * The failure that a body means by its text, alone or as the reason of an error in JSON; undefined for any other body. Data
 * of another route may have these words in it, such as a log of deliveries that have failed.
 */
export function failureByText(body: string): 'team' | 'notFound' | undefined {
	const reason = (reasonOfError(body) || body.slice(0, LONGEST_ERROR))
		.replace(/^\W+|\W+$/g, '')
		.toLowerCase();
	return Object.entries(ERROR_TEXTS).find(([words]) => words === reason)?.[1];
}

/** What a request is for: creating a webhook, something else of §4, or another route. */
type Purpose = 'create' | 'api' | 'route';

/** The statuses of a gateway that has given up waiting, while the service behind it may go on (D112): 524 is that of a CDN. */
const GATEWAY_TIMEOUTS = [408, 504, 524];

const DUPLICATE = /already (exists|in use|taken|registered)|duplicate|must be unique/i;

const CHECK_VALUES = 'Check the values of the node';
const CHECK_ROUTE =
	'Check the path, the method and the IDs in the path, and whether the key may do this';
const CHECK_RIGHTS =
	'The API key itself may be right: check the plan of the team, the permissions of the key, and whether the service or a firewall in front of it allows only certain IP addresses';

/** What is wrong with a body that cannot be used, whatever it says, and what to do. */
const BODY_PROBLEMS: Record<BodyProblem, [what: string, detail: string]> = {
	notText: [
		'The response is not text',
		'It is a file, such as a recording, or not in the encoding that it declares. Get it with the HTTP Request node, which can use this credential',
	],
	tooLarge: [
		'The response is too large to be read',
		'Request less at a time. If the list of webhooks is too large, the team may have more than about 75,000 webhooks',
	],
	tooDeep: ['The response has too many levels to be read', 'Request a smaller part of the data'],
	repeatsKey: [
		'The response contains the API key, so the node shows no part of it',
		'If the Base URL is right, the key is probably in the target URL of a webhook: delete this webhook in the service, and replace the key',
	],
};

const NO_REDIRECT =
	'The node does not follow the redirect, so that the API key reaches no other host';

/** A response, and what its request was for. */
type Read = { purpose: Purpose; problem: BodyProblem | undefined };

/** A failure, and what its texts say. */
type Found = { name: RequestFailure; what?: string; detail?: string; progress?: Progress };

/** Decides which failure a response is (§7), and what the user is told: the first rule that applies. */
function failureOf({ status, text }: HttpResponse, { purpose, problem }: Read): Found {
	const isRoute = purpose === 'route';
	// It comes from something in between, whatever the API says with the same status (D92).
	if (status === 407) return { name: 'proxyLogin' };
	const byText = failureByText(text);
	if (byText !== undefined) return { name: byText };
	// A rate limit or a failure in front of the service may say so with a page.
	if (isRefusedByLimit(status)) return { name: 'rateLimit' };
	if (GATEWAY_TIMEOUTS.includes(status)) return { name: 'server', progress: 'underWay' };
	if (status >= 500) return { name: 'server' };
	if (looksLikePage(text)) {
		const what = 'It responded with a web page';
		const detail = 'A proxy, a firewall or a login may have sent it, or the service is maintained';
		return { name: 'foreign', what, detail, progress: status < 300 ? 'unclear' : 'notDone' };
	}
	if (status === 401) return { name: 'key' };
	// Also because nobody has paid for it, or because of a law.
	if ([402, 403, 451].includes(status)) return { name: 'refused', detail: CHECK_RIGHTS };
	// Only a create is about a target URL.
	const mentionsDuplicate = DUPLICATE.test(text.slice(0, LONGEST_ERROR));
	const isDuplicate = status === 409 || ([400, 422].includes(status) && mentionsDuplicate);
	if (purpose === 'create' && isDuplicate) return { name: 'conflict' };
	// What shows that a response is not the service's (D6).
	if (status < 300) {
		const [what, detail] = problem
			? BODY_PROBLEMS[problem]
			: ['The response is not what the API sends', CHECK_ROUTE];
		return { name: isRoute ? 'unusable' : 'foreign', what, detail };
	}
	if (status < 400) {
		// A 302 or a 303 may lead to the result of a request that was carried out. Any other redirect asks for the same request.
		const progress = status === 302 || status === 303 ? 'unclear' : 'notDone';
		if (!isRoute)
			return {
				name: 'foreign',
				what: 'It redirects to another URL',
				detail: NO_REDIRECT,
				progress,
			};
		const what = `The service redirects the request to another URL (status ${status})`;
		const detail = `${NO_REDIRECT}. To get what is there, such as a recording, send the same request with the HTTP Request node, with this credential and with redirects turned off. The header Location of the response has the other URL: get that without the credential`;
		return { name: 'unusable', what, detail, progress };
	}
	if ([404, 405, 410].includes(status) && !isRoute) {
		return { name: 'foreign', what: 'It does not have the path of the API', progress: 'notDone' };
	}
	return { name: 'refused', detail: isRoute ? CHECK_ROUTE : CHECK_VALUES };
}

/** How a request reads the response to it. */
export type ResponseReading<T> = {
	/** Reads the result from a 2xx; returns undefined when the response does not contain it. */
	parse: (response: HttpResponse) => T | undefined;
	/** The maximum number of levels of the JSON in the response; without it, as many as an item may have. */
	maxDepth?: number;
	purpose?: Purpose;
};

/**
 * Reads the result of a request from its response, or what the response means without it.
 * @param request its query and body can have secrets, which no error quotes
 */
export function readResponse<T>(
	response: HttpResponse,
	{ parse, maxDepth, purpose, path, body }: ResponseReading<T> & { path?: string; body?: unknown },
	{ baseUrl, apiKey }: ServiceCredential,
): Outcome<T, RequestError> {
	const problem = problemWithBody(response, apiKey, maxDepth);
	if (isSuccess(response.status) && problem === undefined) {
		const value = parse(response);
		if (value !== undefined) return { ok: true, value };
	}
	// `formsOf` leaves out a short key, which texts contain by chance. An error must not quote even that.
	const query = [...new URLSearchParams(path?.split('?')[1])];
	const secrets = secretsIn([body, query.map(([name, value]) => ({ [name]: value }))]);
	const confidential = [apiKey, ...formsOf(apiKey), ...secrets];
	const { host } = new URL(baseUrl);
	return { ok: false, error: responseError(response, host, { confidential, problem, purpose }) };
}

/** The names of values that no error may quote. */
const SECRET_NAME = /secret|passw|token|api_?-?key/i;

/** The texts in the body of a request whose field has the name of a secret, or is inside such a field. */
function secretsIn(value: unknown, isSecret = false): string[] {
	if (typeof value === 'string') return isSecret ? [value] : [];
	if (Array.isArray(value)) return value.flatMap((one: unknown) => secretsIn(one, isSecret));
	if (!isJsonObject(value)) return [];
	return Object.entries(value).flatMap(([name, one]) =>
		secretsIn(one, isSecret || SECRET_NAME.test(name)),
	);
}

/** What is known of a request. */
type RequestFacts = Partial<Read> & {
	/** The values that a service may repeat in an error, and that nobody must see. */
	confidential?: readonly string[];
};

/** The error for a response that is not the result of its request. @param host the host of the service, for texts */
export function responseError(
	response: HttpResponse,
	host: string,
	{ confidential = [], problem, purpose = 'api' }: RequestFacts = {},
): RequestError {
	const { status, text } = response;
	const { name, ...found } = failureOf(response, { purpose, problem });
	// A success contains data, unless it is an error and nothing else: of that, only the reason is quoted.
	const quote = quoteOf(isSuccess(status) ? reasonOfError(text) : text, confidential);
	const facts: FailureFacts = { host, status, quote, ...found };
	// Only an error may pass: a 2xx or a 3xx without the result is what the wrong host has at this URL (D4).
	const askedMs = status >= 400 ? waitAskedFor(response) : undefined;
	return RequestError.of(name, facts, { status, askedMs });
}
