/** `RequestError`, and n8n's error that is made of it. */
import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { settle, type Outcome } from '../utils/settle';

/** Why a request failed. */
export type FailureName =
	// The Base URL or the API key cannot be used, or the service does not accept the key.
	| 'credential'
	| 'notFound'
	| 'conflict'
	| 'refused'
	// The rate limit is used up: the service has refused the request, or it got no slot in time.
	| 'rateLimit'
	// The response is not the service's, or not of the API, or its body cannot be used.
	| 'unusable'
	| 'server'
	// A proxy, or n8n itself, did not let the request out.
	| 'blocked'
	| 'unreachable'
	| 'timeout'
	| 'cutOff'
	| 'cancelled';

/**
 * How far the service has come with a request that failed:
 *
 * - `underWay`: nobody waits for the response any longer, and the service may still be carrying it out.
 * - `unclear`: the service may have carried it out, or an earlier attempt at it, and is taken to be done with it: it has responded,
 *   or the connection has ended.
 * - `notDone`: the service has not carried it out, or has not received it.
 */
export type Progress = 'underWay' | 'unclear' | 'notDone';

/** What happened, and what to do. */
export type ErrorText = { message: string; description: string };

/** What is known of a request that failed. */
export type FailureDetails = ErrorText & {
	/** Without it, `notDone`. */
	progress?: Progress;
	/** Whether the failure may pass by itself within seconds or minutes, so that another attempt is worthwhile. */
	passes?: boolean;
	/** The status of the response; undefined when there was none. */
	status?: number;
	/** The code of the connection, such as ECONNREFUSED. */
	code?: string;
	/** How long the service asks to wait before the request is repeated, in milliseconds, within our limits. */
	askedMs?: number | undefined;
	/** What follows from the failure, in sentences. */
	consequences?: readonly string[];
};

/**
 * A request that failed, with a message and a description for the user. It becomes an error of n8n in {@link toNodeError}
 * and nowhere else.
 */
export class RequestError extends Error {
	override name = 'RequestError';

	constructor(
		readonly failure: FailureName,
		readonly details: FailureDetails,
	) {
		super(details.message);
	}

	/** How far the service has come with the request, at the latest of its attempts or an earlier one. */
	get progress(): Progress {
		return this.details.progress ?? 'notDone';
	}

	/** Whether the service may have carried out the request all the same. */
	get maybeDone(): boolean {
		return this.progress !== 'notDone';
	}

	/** Whether the service was out of reach, or has failed for the time being: the failure may pass by itself. */
	get passes(): boolean {
		return this.details.passes === true;
	}

	/** What follows from the failure, which matters more than why the request failed; then what to do. */
	get description(): string {
		return [...consequencesOf(this), this.details.description].join(' ');
	}

	/** The same error, of a request that the service may have carried out all the same. */
	asMaybeDone(): RequestError {
		return this.maybeDone ? this : this.but({ progress: 'unclear' });
	}

	/** The same error, whose description begins with a sentence that says what follows from it. */
	with(consequence: string): RequestError {
		return this.but({ consequences: [consequence, ...consequencesOf(this)] });
	}

	/** The same error with other details. Its description still begins with what follows from it. */
	but(details: Partial<FailureDetails>): RequestError {
		return new RequestError(this.failure, { ...this.details, ...details });
	}
}

/** The error for a request or another task that was cancelled. */
export const cancelledError = (): RequestError =>
	new RequestError('cancelled', {
		message: 'The request was cancelled',
		description: 'The execution was stopped, or the workflow was deactivated.',
	});

/**
 * Waits for a request without throwing its failure.
 * @throws any other error: it is a fault of the nodes or of n8n, and no outcome
 */
export async function settleRequest<T>(request: Promise<T>): Promise<Outcome<T, RequestError>> {
	const outcome = await settle(request);
	if (outcome.ok) return outcome;
	const { error } = outcome;
	if (error instanceof RequestError) return { ok: false, error };
	throw error;
}

/** A question about a failed request. No other error is one: if n8n has an error of its own, it has not sent the request. */
const ofRequest =
	(isSo: (error: RequestError) => boolean) =>
	(error: Error): boolean =>
		error instanceof RequestError && isSo(error);

/** Whether somebody cancelled the request. */
export const isCancelled = ofRequest(({ failure }) => failure === 'cancelled');

/** Whether the service refused a create because it has a webhook with this target URL already (D7). */
export const isConflict = ofRequest(({ failure }) => failure === 'conflict');

/** Whether the service may still be carrying out a request that failed. */
export const mayBeUnderWay = ofRequest(({ progress }) => progress === 'underWay');

/** Whether the service may have carried out a request that failed, or may still do so. */
export const mayBeDone = ofRequest(({ maybeDone }) => maybeDone);

/** Whether the service was out of reach, or has failed for the time being, rather than refusing a request. */
export const isOutage = ofRequest(({ passes }) => passes);

/** What follows from a failed request: what it has changed at the service, or may have. */
export const consequencesOf = (error: unknown): readonly string[] =>
	(error instanceof RequestError && error.details.consequences) || [];

/**
 * The error that a user sees. It has our message and description alone: n8n's own conversion of a response drops text
 * bodies such as 'Bad team' (§7), and converting an error a second time would ignore the new message.
 * @param thrown anything that was thrown; an error of n8n is returned as it is
 * @param itemIndex the index of the item that failed, if there are items
 */
export function toNodeError(
	node: INode,
	thrown: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const item = itemIndex === undefined ? {} : { itemIndex };
	const error = thrown instanceof Error ? thrown : new Error(String(thrown));
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!(error instanceof RequestError)) return new NodeOperationError(node, error, item);
	const { message, description } = error;
	const { status } = error.details;
	const details = { ...item, description };
	if (isCancelled(error)) return new NodeOperationError(node, message, details);
	const httpCode = status === undefined ? {} : { httpCode: String(status) };
	const shown = new NodeApiError(node, {}, { message, ...details, ...httpCode });
	// n8n replaces a message in which it finds the code of a common error, such as ENOTFOUND in a quoted response.
	return Object.assign(shown, { message });
}

/** Waits for a task of a node. @throws its failure as the error that n8n shows */
export async function withNodeErrors<T>(node: INode, task: Promise<T>): Promise<T> {
	return await task.catch((error: unknown) => {
		throw toNodeError(node, error);
	});
}

/**
 * A message and its description in one text, for a place that shows no second one. If both quote a response, the
 * description quotes it no more.
 */
export function inOneLine({
	message,
	description,
}: {
	message: string;
	description?: string | null | undefined;
}): string {
	if (!description) return message;
	// The quote is at the end, or at the end of what is in parentheses.
	const quote = /: ".*"(?=\)?$)/s.exec(message)?.[0];
	return `${message}. ${quote ? description.replaceAll(quote, '') : description}`;
}
