/** The failures of a request: what each means, what to do, whether it may pass, and whether the service may have acted. */
import { REQUESTS_PER_WINDOW, WINDOW_MS } from './rateLimit';

/**
 * How far the service has come with a request that failed:
 *
 * - `underWay`: nobody waits for the response any longer, and the service may still be carrying it out.
 * - `unclear`: the service may have carried it out, or an earlier attempt at it, and is taken to be done with it: it has responded,
 *   or the connection has ended.
 * - `notDone`: the service has not carried it out, or has not received it.
 */
export type Progress = 'underWay' | 'unclear' | 'notDone';

/** A failure: its texts, and what it means for the request. */
export type Failure = {
	/** What happened. */
	message: string;
	/** What to do. */
	description: string;
	/** How far the service has come with the request. */
	progress: Progress;
	/**
	 * What another attempt may bring:
	 *
	 * - `soon`: the failure may pass by itself within seconds or minutes.
	 * - `ifAsked`: another attempt is worthwhile only if an error response asks to wait (`Retry-After`).
	 * - `never`: no wait changes it, even if the response asks for one (D4): waiting does not make a key valid.
	 */
	recovery: 'soon' | 'ifAsked' | 'never';
};

/** Why a request failed that n8n has sent, or has tried to send. */
export type RequestFailure = keyof typeof FAILURES;

/** Why a request failed. The texts of the others are where they are found. */
export type FailureName =
	| RequestFailure
	// It got no slot of the rate limit in time, so nothing was sent.
	| 'busy'
	| 'cancelled'
	// The credential cannot be used, so nothing was sent.
	| 'credential'
	// The response is no people schema that can be read.
	| 'schema'
	// A target URL did not receive an event.
	| 'target';

/** What the texts name. */
export type FailureFacts = {
	/** The name and port of the host that the request was for. */
	host: string;
	/** Of the response, if there is one. */
	status?: number;
	/** What is shown of the body: empty, or a colon and the reason in quotation marks. */
	quote?: string;
	/** What happened, or what is wrong with the response. */
	what?: string | undefined;
	/** What is known beyond that. */
	detail?: string | undefined;
	progress?: Progress | undefined;
};

/** What to do about a webhook that the service does not have. */
const NOT_FOUND_HINT =
	"It may already be deleted, or belong to a team other than that of the API key. The operation 'Get Many' shows the webhooks that exist.";

/** The failures of requests that n8n has sent, or has tried to send. */
export const FAILURES = {
	key: ({ status, quote }) => ({
		// Without the word 'Authorization': n8n gives up on reactivating a workflow if the message of the error has it.
		message: 'The service did not accept the API key',
		description: `It responded with status ${status}${quote}. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.`,
		progress: 'notDone',
		recovery: 'never',
	}),
	team: () => ({
		message: 'The service does not know the team of this API key',
		description:
			'It responded with "Bad team". Check in the account settings that the team still exists and that the key belongs to it, then put a current key into the credential.',
		// These are the service's own words: it has done nothing, whatever the status (D5).
		progress: 'notDone',
		recovery: 'never',
	}),
	notFound: () => ({
		message: 'The webhook was not found',
		description: NOT_FOUND_HINT,
		// As with 'Bad team'.
		progress: 'notDone',
		recovery: 'never',
	}),
	refused: ({ status, quote, detail }) => ({
		// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
		message: `The service refused the request with status ${status}${quote}`,
		description: `${detail}. The service responded with status ${status}${quote}.`,
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	conflict: ({ status, quote }) => ({
		message: 'The service already has a webhook with this target URL',
		description: `It responded with status ${status}${quote}. It allows each target URL only once: find the other webhook with the operation 'Get Many', and delete it or use another target URL.`,
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	rateLimit: ({ status, quote }) => ({
		message: 'The service refused because of its rate limit',
		description: `It responded with status ${status}${quote}. It allows ${REQUESTS_PER_WINDOW} requests in ${WINDOW_MS / 1000} seconds for each API key. This n8n process stays within that limit, so another program, or another n8n process, probably uses the same key: create a separate key for n8n. If nothing else uses the key, something in front of the service may have a limit of its own.`,
		progress: 'notDone',
		recovery: 'soon',
	}),
	/** A response that is not the service's, or not of the API. */
	foreign: ({ host, status, quote, what, detail, progress = 'unclear' }) => ({
		message: `${host} does not look like the service's API`,
		description: `${what}${status ? ` (status ${status}${quote})` : ''}. ${detail ? `${detail}. ` : ''}Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.`,
		progress,
		recovery: 'ifAsked',
	}),
	/** A response to *Make an API Request* that cannot become an item. */
	unusable: ({ what = 'The response cannot be used', detail, progress = 'unclear' }) => ({
		message: what,
		description: `${detail}.`,
		progress,
		recovery: 'ifAsked',
	}),
	server: ({ status, quote, progress = 'unclear' }) => ({
		message: `The service could not carry out the request (status ${status})`,
		description: `It, or something in front of it, responded with status ${status}${quote}. Try again later.`,
		progress,
		recovery: 'soon',
	}),
	proxyLogin: ({ status }) => ({
		message: 'A proxy between n8n and the service refused the request',
		description: `It asks for a login (status ${status}), so the service has not received the request. Put the username and password of the proxy into n8n's HTTP_PROXY or HTTPS_PROXY.`,
		progress: 'notDone',
		recovery: 'never',
	}),
	proxyDown: ({ what = '', detail }) => ({
		message: what,
		description: `${detail}, so nothing was sent. Check HTTP_PROXY and HTTPS_PROXY of n8n, and that the proxy is running.`,
		progress: 'notDone',
		recovery: 'soon',
	}),
	blocked: ({ host }) => ({
		message: `n8n blocked the request to ${host}`,
		description:
			'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).',
		progress: 'notDone',
		recovery: 'never',
	}),
	unreachable: ({ what = '', detail }) => ({
		message: what,
		description: `Nothing was sent: ${detail}, and the proxy of n8n if it has one (HTTP_PROXY or HTTPS_PROXY).`,
		progress: 'notDone',
		recovery: 'soon',
	}),
	timeout: ({ host, detail }) => ({
		message: `${host} did not respond in time`,
		description: `The response was not complete in time (${detail}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
		progress: 'underWay',
		recovery: 'soon',
	}),
	cutOff: ({ host, detail }) => ({
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the response was complete (${detail}). Try again later; if it happens often, check the network of n8n.`,
		progress: 'unclear',
		recovery: 'soon',
	}),
} satisfies Record<string, (facts: FailureFacts) => Failure>;
