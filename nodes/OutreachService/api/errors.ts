import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { answerInWords, type Words } from './messages';

/** How long one request may take, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** What came of a request: an answer, or what went wrong on the way. */
export type Outcome =
	| { kind: 'answer'; status: number; text: string }
	| { kind: 'unreachable'; code: string };

/** Nothing was sent, because there is nobody to send it to. */
export const isNobodyThere = (code: string): boolean =>
	['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].includes(code);

/** The other side is not who it should be, or cannot talk TLS: waiting does not help. */
export const isNotTrusted = (code: string): boolean =>
	/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code);

function unreachableInWords(code: string, host: string): Words {
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		return {
			message: `The address ${host} could not be found`,
			description: `There is no such name, or the name server cannot be reached (${code}). Check the 'Base URL' in the credential letter by letter.`,
		};
	}
	if (code === 'ECONNREFUSED') {
		return {
			message: `Nothing answers at ${host}`,
			description: `The connection was refused (${code}). Check host and port of the 'Base URL' in the credential, and whether a firewall is in between.`,
		};
	}
	if (['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT'].includes(code)) {
		return {
			message: `${host} did not answer in time`,
			description: `There was no answer within ${REQUEST_TIMEOUT_MS / 1000} seconds (${code}). Try again later; if it happens often, check the 'Base URL' in the credential and the network of n8n.`,
		};
	}
	if (isNotTrusted(code)) {
		return {
			message: `No safe connection to ${host} could be made`,
			description: `Its certificate is not valid for this address, or it does not speak HTTPS there (${code}). Check the 'Base URL' in the credential; behind a company proxy, n8n must know the certificate of the proxy.`,
		};
	}
	return {
		message: `The connection to ${host} was cut off`,
		description: `The connection ended before the answer was there (${code}). Try again later; if it happens often, check the network of n8n.`,
	};
}

/** A service may repeat in its answer what was sent to it; of that, an error must show nothing confidential. */
const without = (text: string, confidential: readonly string[]): string =>
	confidential
		.filter((part) => part !== '')
		.reduce((rest, part) => rest.replaceAll(part, '(hidden)'), text);

/**
 * What happened and what to do, for a person who builds workflows.
 * @param confidential keys and secrets that an answer may repeat; they are not shown
 */
export function inWords(outcome: Outcome, host: string, confidential: readonly string[]): Words {
	if (outcome.kind === 'unreachable') return unreachableInWords(outcome.code, host);
	return answerInWords({ ...outcome, text: without(outcome.text, confidential) }, host);
}

export type ErrorDetails = {
	itemIndex?: number | undefined;
	/** What follows from it, after what to do. */
	hint?: string | undefined;
	/** Keys and secrets that an answer may repeat. */
	confidential?: readonly string[];
};

/**
 * The error that a user sees for a request. Built once from status and text: n8n's own conversion never sees
 * text bodies such as 'Bad team' (§7), and wrapping a second time would keep the first message.
 */
export function apiError(
	node: INode,
	outcome: Outcome,
	host: string,
	{ itemIndex, hint, confidential = [] }: ErrorDetails = {},
): NodeApiError {
	const { message, description } = inWords(outcome, host, confidential);
	return new NodeApiError(
		node,
		{},
		{
			message,
			description: hint ? `${description} ${hint}` : description,
			...(outcome.kind === 'answer' ? { httpCode: String(outcome.status) } : {}),
			...(itemIndex === undefined ? {} : { itemIndex }),
		},
	);
}
