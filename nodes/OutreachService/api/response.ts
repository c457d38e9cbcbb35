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
import { confidentialIn } from './confidential';
import type { ServiceCredential } from './credential';
import { RequestError, type FailureDetails, type FailureName, type Progress } from './errors';
import { isSuccess, type HttpResponse } from './http';
import { isRefusedByLimit, limitUsedUp, waitAskedFor } from './rateLimit';

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
const ERROR_TEXTS: ReadonlyMap<string, 'team' | 'notFound'> = new Map([
	['bad team', 'team'],
	['webhook not found', 'notFound'],
]);

/** The reason that a body gives, if it is an error in JSON and nothing else; else empty. A long body is not even parsed for it. */
export function reasonOfError(body: string): string {
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
	return ERROR_TEXTS.get(reason);
}

/** What a request is for: creating a webhook, something else of §4, or another route. */
type Purpose = 'create' | 'api' | 'route';

/** The statuses of a gateway that has given up waiting, while the service behind it may go on (D112): 524 is that of a CDN. */
const GATEWAY_TIMEOUTS = [408, 504, 524];

const DUPLICATE = /already (exists|in use|taken|registered)|duplicate|must be unique/i;

const CHECK_ROUTE =
	'Check the path, which follows the Base URL, the IDs in it, the method, and whether the key may do this';

/** What to do about a webhook that the service does not have. */
export const NOT_FOUND_HINT =
	"It may already be deleted, or belong to a team other than that of the API key. The operation 'Get Many' shows the webhooks that exist.";

/** What is wrong with a body that cannot be used, whatever it says, and what to do. */
const BODY_PROBLEMS: Record<BodyProblem, [what: string, detail: string]> = {
	notText: [
		'The response is not text',
		'It is a file, such as a recording, or not in the encoding that it declares. Get it with the HTTP Request node, which can use this credential',
	],
	tooLarge: [
		'The response is too large to be read, or has too many levels',
		'Request less at a time. If the list of webhooks is too large, the team may have more than about 75,000 webhooks',
	],
	repeatsKey: [
		'The response contains the API key, so the node shows no part of it',
		'If the Base URL is right, the key is probably in the target URL of a webhook: delete this webhook in the service, and replace the key',
	],
};

/** The redirects that ask for the same request elsewhere. Any other may lead to the result of one that was carried out. */
const NOT_DONE_REDIRECTS = [301, 307, 308];

const NO_REDIRECT =
	'The node does not follow the redirect, so that the API key reaches no other host';

/** What is known of a request and the response to it. */
type Read = {
	/** The name and port of the host that the request was for. */
	host: string;
	purpose: Purpose;
	problem: BodyProblem | undefined;
	/** What is shown of the body: empty, or a colon and the reason in quotation marks. */
	quote: string;
};

/** What a user is told of an API key that the service refuses. @param how the service has said so */
const keyRefused = (how: string): [FailureName, FailureDetails] => [
	'credential',
	{
		// Without the word 'Authorization': n8n gives up on reactivating a workflow if the message of the error has it.
		message: 'The service did not accept the API key',
		description: `It responded with ${how}. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.`,
	},
];

/** Which failure a response is (§7), and what the user is told: the first rule that applies. */
function failureOf(
	{ status, text }: HttpResponse,
	{ host, purpose, problem, quote }: Read,
): [FailureName, FailureDetails] {
	const isRoute = purpose === 'route';
	// It is not the service's, or not of the API (D6).
	const foreign = (what: string, progress: Progress = 'unclear'): [FailureName, FailureDetails] => [
		'unusable',
		{
			message: `${host} does not look like the service's API`,
			description: `${what}. Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.`,
			progress,
		},
	];
	// The service's own words: it has done nothing, whatever the status (D5).
	const byText = failureByText(text);
	if (byText === 'team') return keyRefused('"Bad team": the team of the key may no longer exist');
	if (byText === 'notFound') {
		return ['notFound', { message: 'The webhook was not found', description: NOT_FOUND_HINT }];
	}
	// A rate limit or a failure in front of the service may say so with a page.
	if (isRefusedByLimit(status)) {
		return ['rateLimit', limitUsedUp(`It responded with status ${status}${quote}. `)];
	}
	const isGatewayTimeout = GATEWAY_TIMEOUTS.includes(status);
	if (isGatewayTimeout || status >= 500) {
		return [
			'server',
			{
				message: `The service could not carry out the request (status ${status})`,
				description: `It, or something in front of it, responded with status ${status}${quote}. Try again later.`,
				progress: isGatewayTimeout ? 'underWay' : 'unclear',
				passes: true,
			},
		];
	}
	if (looksLikePage(text)) {
		const what = `It responded with a web page (status ${status}${quote}). A proxy, a firewall or a login may have sent it, or the service is maintained`;
		return foreign(what, status < 300 ? 'unclear' : 'notDone');
	}
	if (status === 401) return keyRefused(`status ${status}${quote}`);
	// Only a create is about a target URL.
	const mentionsDuplicate = DUPLICATE.test(text.slice(0, LONGEST_ERROR));
	const isDuplicate = status === 409 || ([400, 422].includes(status) && mentionsDuplicate);
	if (purpose === 'create' && isDuplicate) {
		return [
			'conflict',
			{
				message: 'The service already has a webhook with this target URL',
				description: `It responded with status ${status}${quote}. It allows each target URL only once: find the other webhook with the operation 'Get Many', and delete it or use another target URL.`,
			},
		];
	}
	if (status < 300) {
		const [what, detail] = problem
			? BODY_PROBLEMS[problem]
			: ['The response is not what the API sends', CHECK_ROUTE];
		return isRoute
			? ['unusable', { message: what, description: `${detail}.`, progress: 'unclear' }]
			: foreign(`${what} (status ${status}${quote}). ${detail}`);
	}
	if (status < 400) {
		const progress = NOT_DONE_REDIRECTS.includes(status) ? 'notDone' : 'unclear';
		if (!isRoute) {
			return foreign(
				`It redirects to another URL (status ${status}${quote}). ${NO_REDIRECT}`,
				progress,
			);
		}
		return [
			'unusable',
			{
				message: `The service redirects the request to another URL (status ${status})`,
				description: `${NO_REDIRECT}. To get what is there, such as a recording, send the same request with the HTTP Request node, with this credential and with redirects turned off. The header Location of the response has the other URL: get that without the credential.`,
				progress,
			},
		];
	}
	if ([404, 405, 410].includes(status) && !isRoute) {
		return foreign(`It does not have the path of the API (status ${status}${quote})`, 'notDone');
	}
	let check = isRoute
		? CHECK_ROUTE
		: "Check 'Base URL' and 'API Key' of the credential, and the values of the node";
	// Also because nobody has paid for it, or because of a law.
	if ([402, 403, 451].includes(status)) {
		check =
			'The API key itself may be right: check the plan of the team, the permissions of the key, and whether the service or a firewall in front of it allows only certain IP addresses';
	}
	return [
		'refused',
		{
			// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
			message: `The service refused the request with status ${status}${quote}`,
			description: `${check}. The service responded with status ${status}${quote}.`,
		},
	];
}

/** How a request reads the response to it. */
export type ResponseReading<T> = {
	/** Reads the result from a 2xx; returns undefined when the response does not contain it. */
	parse: (response: HttpResponse) => T | undefined;
	purpose?: Purpose;
};

/**
 * Reads the result of a request from its response, or what the response means without it.
 * @param request its query and body can have secrets, which no error quotes
 */
export function readResponse<T>(
	response: HttpResponse,
	{ parse, purpose, path, body }: ResponseReading<T> & { path?: string; body?: unknown },
	{ baseUrl, apiKey }: ServiceCredential,
): Outcome<T, RequestError> {
	const problem = problemWithBody(response, apiKey);
	if (isSuccess(response.status) && problem === undefined) {
		const value = parse(response);
		if (value !== undefined) return { ok: true, value };
	}
	// `formsOf` leaves out a short key, which texts contain by chance. An error must not quote even that.
	const confidential = [apiKey, ...formsOf(apiKey), ...confidentialIn([path, body])];
	const { host } = new URL(baseUrl);
	return { ok: false, error: responseError(response, host, { confidential, problem, purpose }) };
}

/**
 * The error for a response that is not the result of its request.
 * @param host the host of the service, for texts
 * @param facts.confidential the values that a service may repeat in an error, and that nobody must see
 */
export function responseError(
	response: HttpResponse,
	host: string,
	facts: { confidential?: readonly string[]; problem?: BodyProblem; purpose?: Purpose } = {},
): RequestError {
	const { confidential = [], problem, purpose = 'api' } = facts;
	const { status, text } = response;
	// A success contains data, unless it is an error and nothing else: of that, only the reason is quoted.
	const quote = quoteOf(isSuccess(status) ? reasonOfError(text) : text, confidential);
	// Only an error may pass: a 2xx or a 3xx without the result is what the wrong host has at this URL (D4).
	const askedMs = status >= 400 ? waitAskedFor(response) : undefined;
	const [failure, details] = failureOf(response, { host, purpose, problem, quote });
	return new RequestError(failure, { ...details, status, askedMs });
}
