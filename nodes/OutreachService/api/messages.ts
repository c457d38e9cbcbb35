import { errorTextsIn } from './errorBody';
import { REQUESTS_PER_WINDOW, WINDOW_MS } from './limits';
import { isNotTrusted } from './outcome';
import { looksLikePage, quoteOf } from './quote';

/** What happened, and what to do. */
export type ErrorText = { message: string; description: string };

type Response = { status: number; text: string; isCut?: boolean; quote?: string };

const quoted = ({ quote, text }: Response): string => quote ?? quoteOf(text);

const BASE_URL_HINT =
	"Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.";

/** The two error texts of the API spec decide, whatever the status (§7, D5). */
export const isNotFound = (body: string): boolean =>
	errorTextsIn(body).some((text) => /^\W*webhook not found\W*$/i.test(text));
export const isBadTeam = (body: string): boolean =>
	errorTextsIn(body).some((text) => /^\W*bad team\W*$/i.test(text));

/** The service has a webhook with this target URL already (D7): a 409, or another refusal that says so. */
export const isConflictResponse = ({ status, text }: Response): boolean =>
	status === 409 ||
	([400, 422].includes(status) &&
		/already (exists|in use|taken|registered)|duplicate|must be unique/i.test(text.slice(0, 200)));

/** What to do about a webhook that the service does not have. */
export const NOT_FOUND_HINT =
	"It may already be deleted, or belong to another team than the API key. List the webhooks with the operation 'Get Many' to see which there are.";

/** A user waits for the result, so the request was not sent. That says nothing about the key. */
export const BUSY: ErrorText = {
	message: 'The service is busy with other requests that use this API key',
	description: 'Its rate limit is used up at the moment. Try again in a few seconds.',
};

/** The first that fits a response decides. */
const WORDS: ReadonlyArray<
	[fits: (response: Response) => boolean, say: (response: Response, host: string) => ErrorText]
> = [
	[
		({ text }) => isBadTeam(text),
		() => ({
			message: 'The service does not know the team of this API key',
			description:
				'It responded with "Bad team". Check in the account settings that the team still exists and that the key belongs to it, then put a current key into the credential.',
		}),
	],
	[
		({ text }) => isNotFound(text),
		() => ({ message: 'The webhook was not found', description: NOT_FOUND_HINT }),
	],
	[
		({ status }) => status === 401 || status === 403,
		// Without the word 'Authorization': n8n gives up on reactivating a workflow whose error has it.
		({ status }) => ({
			message: 'The service did not accept the API key',
			description: `It responded with status ${status}. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.`,
		}),
	],
	[
		({ status }) => status === 429,
		() => ({
			message: 'The service kept refusing because of its rate limit',
			description: `It allows ${REQUESTS_PER_WINDOW} requests in ${WINDOW_MS / 1000} seconds for each API key. This n8n process stayed within that limit and waited each time, so another program, or another n8n process, uses the same key. Find it, or create a separate key for n8n.`,
		}),
	],
	[
		isConflictResponse,
		() => ({
			message: 'The service already has a webhook with this target URL',
			description:
				"It allows each target URL only once. Find the other webhook with the operation 'Get Many', and delete it or use another target URL.",
		}),
	],
	[
		({ status }) => status >= 300 && status < 400,
		(_, host) => ({
			message: `${host} redirects to another URL`,
			description: `The node does not follow redirects, so that the API key reaches no other host. ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status, isCut }) => status < 300 && isCut === true,
		(_, host) => ({
			message: `The response of ${host} is too large`,
			description: `n8n reads at most 16 MB of it. ${BASE_URL_HINT} If it is right, the team has far too many webhooks: delete those that nobody needs.`,
		}),
	],
	[
		({ status, text }) => status < 300 || (status < 500 && looksLikePage(text)),
		({ status, text }, host) => ({
			message: `${host} does not look like the service's API`,
			description: `${looksLikePage(text) ? 'It responded with a web page' : 'Its response is not what the API sends'} (status ${status}). ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status }) => status === 404 || status === 405,
		(response, host) => ({
			message: `The API was not found at ${host}`,
			description: `The host responded with status ${response.status}${quoted(response)}. ${BASE_URL_HINT}`,
		}),
	],
	[
		({ status }) => status >= 500,
		(response) => ({
			message: `The service could not carry out the request (status ${response.status})`,
			description: `The cause is on its side. It responded with status ${response.status}${quoted(response)}. Try again later.`,
		}),
	],
];

/** A response that is not what was asked for, for a person who builds workflows. */
export function describeResponse(response: Response, host: string): ErrorText {
	const say = WORDS.find(([fits]) => fits(response))?.[1];
	if (say) return say(response, host);
	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
	const said = quoted(response);
	return {
		message: `The service refused the request with status ${response.status}${said}`,
		description: `Check the values of the node: the service responded with status ${response.status}${said}.`,
	};
}

/** Their failures look like those of the host. */
const PROXY_HINT = ', and the proxy of n8n if it has one (HTTP_PROXY or HTTPS_PROXY).';

/** A connection that failed, for a person who builds workflows. @param code of the connection, such as ECONNREFUSED */
export function describeUnreachable(code: string, host: string): ErrorText {
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		return {
			message: `The host ${host} could not be found`,
			description: `The name does not exist, or the DNS server cannot be reached (${code}). Check the 'Base URL' in the credential letter by letter${PROXY_HINT}`,
		};
	}
	if (code === 'ECONNREFUSED') {
		return {
			message: `Nothing is listening at ${host}`,
			description: `The connection was refused (${code}). Check host and port of the 'Base URL' in the credential, and whether a firewall is in between${PROXY_HINT}`,
		};
	}
	if (['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT'].includes(code)) {
		return {
			message: `${host} did not respond in time`,
			description: `The response was not complete in time (${code}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
		};
	}
	if (isNotTrusted(code)) {
		return {
			message: `No secure connection to ${host} could be made`,
			description: `Its certificate is not valid for this host, or it does not speak HTTPS there (${code}). Check the 'Base URL' in the credential; behind a company proxy, n8n must trust the certificate of the proxy.`,
		};
	}
	return {
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the response was complete (${code}). Try again later; if it happens often, check the network of n8n.`,
	};
}
