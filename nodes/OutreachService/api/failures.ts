/**
 * The failures of a request that n8n has sent, or was not allowed to send: what each means, and what to do. The errors are
 * made from this, and so is the list in docs/troubleshooting.md.
 */
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
	/** What to do, for docs/troubleshooting.md. */
	help: string;
	/** How far the service has come with the request. */
	progress: Progress;
	/**
	 * What another attempt may bring:
	 *
	 * - `soon`: the failure may pass by itself within seconds or minutes, so that another attempt may succeed.
	 * - `ifAsked`: another attempt is worthwhile only if an error response asks to wait (`Retry-After`).
	 * - `never`: no wait changes it, even if the response asks for one (D4): waiting does not make a key valid.
	 * - `unreached`: n8n has not reached the service. This need not pass by itself, but no other request would fare better.
	 */
	recovery: 'soon' | 'ifAsked' | 'never' | 'unreached';
};

/** What the texts about a response name. */
type ResponseFacts = {
	/** The name and port of the host that the request was for. */
	host: string;
	status: number;
	/** What may be shown of the body: empty, or a colon and the body in quotation marks. */
	quote: string;
};

/** What the texts about a request without a response name. */
type ConnectionFacts = {
	/** The name and port of the host that the request was for. */
	host: string;
	/** The code of the connection, such as ECONNREFUSED. */
	code: string;
	/** The address and port of a proxy, if it is the proxy that was not reached. */
	proxy: string | undefined;
};

/** The statuses of a gateway that has given up waiting, while the service behind it may go on (D112): 524 is that of a CDN. */
const GATEWAY_TIMEOUTS: readonly number[] = [408, 504, 524];

/** Whether a status says that a gateway has given up waiting. */
export const isGatewayTimeout = (status: number): boolean => GATEWAY_TIMEOUTS.includes(status);

/** A 302 or a 303 may lead to the result of a request that was carried out. Any other redirect asks for the same request. */
const progressOfRedirect = (status: number): Progress =>
	status === 302 || status === 303 ? 'unclear' : 'notDone';

const CHECK_URL = "Check the 'Base URL' in the credential";

/** The failures of a proxy look like those of the host. */
const PROXY_HINT = ', and the proxy of n8n if it has one (HTTP_PROXY or HTTPS_PROXY)';

/** A response that is not the service's. @param oddity what shows that: a part of a sentence */
const foreign = (
	{ host, status, quote }: ResponseFacts,
	oddity: string,
): Pick<Failure, 'message' | 'description' | 'help'> => ({
	message: `${host} does not look like the service's API`,
	description: `${oddity} (status ${status}${quote}). Compare the 'Base URL' in the credential with the API URL that the service documents: it ends in /api.`,
	help: 'Enter the Base URL that the service documents. It ends in `/api`. The details say what is wrong with the response.',
});

/** What each response means that is not the result of its request. */
export const RESPONSES = {
	key: ({ status, quote }) => ({
		// Without the word 'Authorization': n8n gives up on reactivating a workflow if the message of the error has it.
		message: 'The service did not accept the API key',
		description: `It responded with status ${status}${quote}. Copy the key again from the integrations page of the account settings into the credential, with nothing before or after it.`,
		help: 'Copy the key again from the integrations page of your account settings.',
		progress: 'notDone',
		recovery: 'never',
	}),
	team: () => ({
		message: 'The service does not know the team of this API key',
		description:
			'It responded with "Bad team". Check in the account settings that the team still exists and that the key belongs to it, then put a current key into the credential.',
		help: 'Use a current key of a team that exists.',
		// These are the service's own words: it has done nothing, whatever the status (D5).
		progress: 'notDone',
		recovery: 'never',
	}),
	forbidden: ({ status, quote }) => ({
		message: `The request was refused with status ${status}${quote}`,
		description: `The service, or a firewall in front of it, does not allow the request (status ${status}${quote}). The API key itself may be right: check the plan of the team, the permissions of the key, and whether only certain IP addresses are allowed.`,
		help: 'The service or a firewall forbids the request. Check the plan of the team, the permissions of the key, and lists of allowed IP addresses. The key itself may be right.',
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	proxyLogin: ({ status }) => ({
		message: 'A proxy between n8n and the service refused the request',
		description: `It asks for a login (status ${status}), so the service has not received the request. Put the username and password of the proxy into n8n's HTTP_PROXY or HTTPS_PROXY.`,
		help: "The proxy asks for a login. Put its username and password into n8n's `HTTP_PROXY` or `HTTPS_PROXY`.",
		progress: 'notDone',
		recovery: 'never',
	}),
	notFound: () => ({
		message: 'The webhook was not found',
		description: NOT_FOUND_HINT,
		help: 'The webhook was deleted, or belongs to another team. _Get Many_ shows the webhooks that exist.',
		// As with 'Bad team', these words say that the service has done nothing, whatever the status (D5).
		progress: 'notDone',
		recovery: 'never',
	}),
	route: ({ status, quote }) => ({
		message: `The service does not have what was asked for (status ${status}${quote})`,
		description:
			"Check the path, the method and the IDs in the path. If every request fails like this, compare the 'Base URL' in the credential with the API URL that the service documents.",
		help: 'Check the path, the method and the IDs in the path, then the Base URL.',
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	rateLimit: ({ status, quote }) => ({
		message: 'The service refused because of its rate limit',
		description: `It responded with status ${status}${quote}. It allows ${REQUESTS_PER_WINDOW} requests in ${WINDOW_MS / 1000} seconds for each API key. This n8n process stays within that limit, so another program, or another n8n process, probably uses the same key. Find it, or create a separate key for n8n. If nothing else uses the key, ask the provider for the limit: something in front of the service may have a limit of its own.`,
		help: 'Another program, or another n8n process, probably uses the same key. Create a separate key for n8n. If nothing else uses the key, ask the provider for the limit: something in front of the service may have a limit of its own.',
		progress: 'notDone',
		recovery: 'soon',
	}),
	conflict: ({ status, quote }) => ({
		message: 'The service already has a webhook with this target URL',
		description: `It responded with status ${status}${quote}. It allows each target URL only once: find the other webhook with the operation 'Get Many', and delete it or use another target URL.`,
		help: 'Find the other webhook with _Get Many_, and delete it if nobody needs it. If _Get Many_ does not list it, it may belong to another team. In that case, use another target URL.',
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	redirect: (facts) => ({
		...foreign(
			facts,
			'It redirects to another URL. The node does not follow the redirect, so that the API key reaches no other host',
		),
		progress: progressOfRedirect(facts.status),
		recovery: 'ifAsked',
	}),
	redirectedRoute: ({ status }) => ({
		message: `The service redirects the request to another URL (status ${status})`,
		description:
			'The node does not follow the redirect, so that the API key reaches no other host. To get what is at the other URL, such as a recording, first send the same request with the HTTP Request node, with this credential and with redirects turned off. The header Location of the response has the other URL. Then get that URL without the credential.',
		help: 'The node follows no redirect, so that the API key reaches no other host. To get what is at the other URL, such as a recording, first send the same request with the HTTP Request node, with this credential and with redirects turned off. The header `Location` of the response has the other URL. Then get that URL without the credential.',
		progress: progressOfRedirect(status),
		recovery: 'ifAsked',
	}),
	noSuchPath: (facts) => ({
		...foreign(facts, 'It does not have the path of the API'),
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	unexpected: (facts) => ({
		...foreign(facts, 'Its response is not what the API sends'),
		progress: 'unclear',
		recovery: 'ifAsked',
	}),
	repeatsKey: (facts) => ({
		...foreign(
			facts,
			'Its response contains the API key, so the node shows no part of the response. If the Base URL is right, the key is probably in the target URL of a webhook: delete this webhook in the service, and replace the key',
		),
		help: 'For safety, the node does not use a response that contains the API key. If the details say that the response contains the key, and the Base URL is right, the key is probably in the target URL of a webhook. Delete this webhook in the service, and replace the key.',
		progress: 'unclear',
		recovery: 'ifAsked',
	}),
	tooLarge: (facts) => ({
		...foreign(
			facts,
			'Its response is too large to be read. If the Base URL is right, and the request was for the list of webhooks, the team has too many webhooks',
		),
		help: 'If the list of webhooks is too large, the team may have more than about 75,000 webhooks.',
		progress: 'unclear',
		recovery: 'ifAsked',
	}),
	page: ({ host, status }) => ({
		message: `A web page came in place of a response from ${host}`,
		description: `Either a proxy, a firewall or a login sent the page (status ${status}), or the service is under maintenance, or the Base URL is that of a web app. ${CHECK_URL}, which ends in /api, and any proxy or firewall between n8n and the service.`,
		help: 'Either a proxy, a firewall or a login sent the page, or the service is under maintenance, or the Base URL is that of a web app. The right Base URL ends in `/api`.',
		progress: status < 300 ? 'unclear' : 'notDone',
		recovery: 'ifAsked',
	}),
	server: ({ status, quote }) => ({
		message: `The service could not carry out the request (status ${status})`,
		description: `It, or something in front of it, responded with status ${status}${quote}. Try again later.`,
		help: 'Try again later. The response may have come from a proxy or a load balancer in front of the service.',
		progress: isGatewayTimeout(status) ? 'underWay' : 'unclear',
		recovery: 'soon',
	}),
	badRequest: ({ status, quote }) => ({
		// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone: the reason is in both.
		message: `The service refused the request with status ${status}${quote}`,
		description: `Check the values of the node: the service responded with status ${status}${quote}.`,
		help: 'Check the values that the quoted response mentions.',
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
} satisfies Record<string, (facts: ResponseFacts) => Failure>;

/** Why there was no response. */
export const NO_RESPONSE = {
	blocked: ({ host }) => ({
		message: `n8n blocked the request to ${host}`,
		description:
			'The settings of this n8n forbid requests to that host (N8N_SSRF_PROTECTION_ENABLED).',
		help: "n8n's settings forbid requests to this host (`N8N_SSRF_PROTECTION_ENABLED`).",
		progress: 'notDone',
		recovery: 'ifAsked',
	}),
	unknownHost: ({ host, code }) => ({
		message: `The host ${host} could not be found`,
		description: `The name does not exist, or the DNS server cannot be reached (${code}). ${CHECK_URL} letter by letter${PROXY_HINT}.`,
		help: 'Check the host name in the Base URL letter by letter. Then check the DNS server that n8n uses, and the proxy if n8n has one.',
		progress: 'notDone',
		recovery: 'unreached',
	}),
	proxyDown: ({ proxy, code }) => ({
		message: `The proxy ${proxy} of n8n cannot be reached`,
		description: `The connection to it failed (${code}), so nothing was sent. Check HTTP_PROXY and HTTPS_PROXY of n8n, and that the proxy is running.`,
		help: "n8n sent nothing. Check n8n's `HTTP_PROXY` and `HTTPS_PROXY`, and that the proxy is running.",
		progress: 'notDone',
		recovery: 'unreached',
	}),
	notListening: ({ host, code }) => ({
		message: `Nothing is listening at ${host}`,
		description: `The connection was refused (${code}). Check the host and the port of the 'Base URL' in the credential, any firewall between n8n and the service${PROXY_HINT}.`,
		help: 'Check the host and the port in the Base URL, and any firewall between n8n and the service.',
		progress: 'notDone',
		recovery: 'unreached',
	}),
	unreachable: ({ host, code }) => ({
		message: `n8n cannot reach ${host}`,
		description: `No connection could be made (${code}), so nothing was sent. Check the network of n8n, any firewall between n8n and the service${PROXY_HINT}.`,
		help: 'n8n sent nothing. Check the network of n8n, and any firewall between n8n and the service.',
		progress: 'notDone',
		recovery: 'soon',
	}),
	timeout: ({ host, code }) => ({
		message: `${host} did not respond in time`,
		description: `The response was not complete in time (${code}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
		help: 'Try again later. If it happens often, check the Base URL and the network of n8n.',
		progress: 'underWay',
		recovery: 'soon',
	}),
	insecure: ({ host, code }) => ({
		message: `No secure connection to ${host} could be made`,
		description: `The certificate is not valid for this host, or the host does not use HTTPS at this port (${code}). ${CHECK_URL}; behind a company proxy, n8n must trust the certificate of the proxy.`,
		help: "The certificate is not valid for this host, or the host does not use HTTPS at this port. Behind a corporate proxy, n8n must trust the proxy's certificate (`NODE_EXTRA_CA_CERTS`).",
		progress: 'notDone',
		recovery: 'unreached',
	}),
	cutOff: ({ host, code }) => ({
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the response was complete (${code}). Try again later; if it happens often, check the network of n8n.`,
		help: 'Try again later. If it happens often, check the network between n8n and the service.',
		progress: 'unclear',
		recovery: 'soon',
	}),
} satisfies Record<string, (facts: ConnectionFacts) => Failure>;

/** Why a response is not the result of its request: a name of {@link RESPONSES}. */
export type ResponseFailure = keyof typeof RESPONSES;

/** Why a request failed. Those after the first two lines have their texts where they are found. */
export type FailureName =
	| ResponseFailure
	| keyof typeof NO_RESPONSE
	// It got no slot of the rate limit in time, so nothing was sent.
	| 'busy'
	| 'cancelled'
	// The credential cannot be used, so nothing was sent.
	| 'credential'
	// The response is no people schema that can be read.
	| 'schema'
	// A target URL did not receive an event.
	| 'target';

/** What to do about a webhook that the service does not have. */
const NOT_FOUND_HINT =
	"It may already be deleted, or belong to a team other than that of the API key. The operation 'Get Many' shows the webhooks that exist.";

/** Each failure with … in place of what differs, for documents. */
export const everyFailure = (): Failure[] => {
	const ofResponses = Object.values(RESPONSES).map((textsOf: (facts: ResponseFacts) => Failure) =>
		textsOf({ host: '…', status: NaN, quote: '' }),
	);
	const ofConnections = Object.values(NO_RESPONSE).map((textsOf) =>
		textsOf({ host: '…', code: '…', proxy: '…' }),
	);
	return [...ofResponses, ...ofConnections].map(({ message, ...rest }) => ({
		...rest,
		message: message.replaceAll('NaN', '…'),
	}));
};
