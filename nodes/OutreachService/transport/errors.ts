import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

/** What came of a request: an answer, or what went wrong on the way. */
export type Outcome =
	| { kind: 'answer'; status: number; text: string }
	| { kind: 'unreachable'; code: string };

/** A request as it may be shown: it holds no credential and no secret. */
export type RequestInWords = { method: string; host: string; path: string };

type Words = { message: string; description: string };

const BASE_URL_HINT =
	"Compare the Base URL in the credential with the API address in the service's account settings: it ends in /api.";

/** The two texts that the interface gives for errors decide, whatever the status (§7, D5). */
export const isNotFound = (text: string): boolean =>
	/^\W*webhook not found\W*$/i.test(text.slice(0, 200));
const isBadTeam = (text: string): boolean => /^\W*bad team\W*$/i.test(text.slice(0, 200));
const looksLikePage = (text: string): boolean => /^\s*<(!doctype|html|head|body|\?xml)/i.test(text);

function answerInWords({ status, text }: { status: number; text: string }, host: string): Words {
	if (isBadTeam(text)) {
		return {
			message: 'The service does not know the team of this API key',
			description:
				'Its answer was "Bad team". Check in the account settings that the team still exists and that the key is from it, then put a current key into the credential.',
		};
	}
	if (isNotFound(text)) {
		return {
			message: 'The webhook was not found',
			description:
				'It may already be deleted, or belong to another team than the API key. List the webhooks with the operation Get Many to see which there are.',
		};
	}
	if (status === 401 || status === 403) {
		// Without the word 'Authorization': n8n gives up on reactivating a workflow whose error has it.
		return {
			message: 'The service did not accept the API key',
			description: `It answered with status ${status}. Copy the key again from the integrations page of the account settings into the credential. Nothing but the key belongs into that field.`,
		};
	}
	if (status === 429) {
		return {
			message: 'The service kept refusing because of its rate limit',
			description:
				'It allows 20 requests in 2 seconds for each API key. The node kept to that and repeated the request for two minutes, so something else uses the same key all the time. Find it, or use a key of its own for n8n.',
		};
	}
	if (status === 409) {
		return {
			message: 'The service has a webhook with this address already',
			description:
				'It allows each address only once. Find the other one with the operation Get Many, and delete it or use another address.',
		};
	}
	if (status >= 300 && status < 400) {
		return {
			message: `The address ${host} redirects to another one`,
			description: `The node does not follow, so that the API key reaches no other host. ${BASE_URL_HINT}`,
		};
	}
	if (looksLikePage(text) || (status >= 200 && status < 300)) {
		return {
			message: `The address ${host} does not look like the service's API`,
			description: `${looksLikePage(text) ? 'It answered with a web page' : 'Its answer is not what the API sends'} (status ${status}). ${BASE_URL_HINT}`,
		};
	}
	if (status === 404 || status === 405) {
		return {
			message: `The address ${host} does not have what the API should have there`,
			description: `It answered with status ${status}. ${BASE_URL_HINT}`,
		};
	}
	if (status >= 500) {
		return {
			message: 'The service has a problem of its own',
			description: `It answered with status ${status}${quoted(text)}. Try again later, or switch on Retry On Fail in the settings of the node.`,
		};
	}
	return {
		message: 'The service refused the request',
		description: `It answered with status ${status}${quoted(text)}. Check the values of the node.`,
	};
}

/** The beginning of a short text answer; a long one or a page would only confuse. */
function quoted(text: string): string {
	const line = text.trim().replace(/\s+/g, ' ');
	return line === '' || line.length > 200 || looksLikePage(line) ? '' : `: "${line}"`;
}

function unreachableInWords(code: string, host: string): Words {
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		return {
			message: `The address ${host} could not be found`,
			description: `There is no such name, or the name server cannot be reached (${code}). Check the Base URL in the credential for a typing mistake.`,
		};
	}
	if (code === 'ECONNREFUSED') {
		return {
			message: `Nothing answers at ${host}`,
			description: `The connection was refused (${code}). Check host and port of the Base URL in the credential, and whether a firewall is in between.`,
		};
	}
	if (['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT'].includes(code)) {
		return {
			message: `${host} did not answer in time`,
			description: `There was no answer within 30 seconds (${code}). Try again later; if it happens often, check the Base URL in the credential and the network of n8n.`,
		};
	}
	if (
		code.startsWith('CERT_') ||
		code.includes('CERT') ||
		code.includes('TLS') ||
		code === 'EPROTO'
	) {
		return {
			message: `${host} cannot be trusted`,
			description: `Its certificate is not valid for this address (${code}). Check the Base URL in the credential; behind a company proxy, n8n must know the certificate of the proxy.`,
		};
	}
	return {
		message: `The connection to ${host} failed`,
		description: `It was cut before the answer was there (${code}). Try again later; if it happens often, check the network of n8n.`,
	};
}

/** What happened and what to do, for a person who builds workflows. Never holds a key or a secret. */
export function inWords(outcome: Outcome, host: string): Words {
	return outcome.kind === 'answer'
		? answerInWords(outcome, host)
		: unreachableInWords(outcome.code, host);
}

/**
 * The error that a user sees for a request. Built once from status and text: n8n's own conversion never sees
 * text bodies such as 'Bad team' (§7), and wrapping a second time would keep the first message.
 */
export function apiError(
	node: INode,
	outcome: Outcome,
	host: string,
	options: { itemIndex?: number | undefined; hint?: string | undefined } = {},
): NodeApiError {
	const { message, description } = inWords(outcome, host);
	return new NodeApiError(
		node,
		{},
		{
			message,
			description: options.hint ? `${description} ${options.hint}` : description,
			...(outcome.kind === 'answer' ? { httpCode: String(outcome.status) } : {}),
			...(options.itemIndex === undefined ? {} : { itemIndex: options.itemIndex }),
		},
	);
}
