import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	BUSY,
	isConflictResponse,
	describeResponse,
	describeUnreachable,
	type ErrorText,
} from './messages';
import { isSuccess, type Attempt, type Outcome, type Responded } from './outcome';

/** The attempt that decided the outcome; undefined for a request that was cancelled, or never sent. */
function causeOf(failure: Outcome): Attempt | undefined {
	if (failure.kind === 'cancelled' || failure.kind === 'busy') return undefined;
	return failure.kind === 'uncertain' ? failure.cause : failure;
}

function describe(failure: Outcome, host: string): ErrorText {
	if (failure.kind === 'busy') return BUSY;
	const cause = causeOf(failure);
	if (!cause) {
		return {
			message: 'The request was cancelled',
			description: 'The execution was stopped, or the workflow was deactivated.',
		};
	}
	return cause.kind === 'response'
		? describeResponse(cause, host)
		: describeUnreachable(cause.code, host);
}

const sentences = (...parts: Array<string | undefined>): string =>
	parts.filter((part) => part !== undefined && part !== '').join(' ');

/**
 * What follows from a failed request, in words: a `hint` when nothing has changed, otherwise the `sideEffects`: what it
 * has changed at the service all the same, or may have changed.
 */
export type Consequence = { hint?: string; sideEffects?: string };

/**
 * A request that failed: what it ended in, with a message and a description for the user. It becomes an error of n8n
 * in {@link toNodeError} and nowhere else.
 */
export class RequestError extends Error {
	override name = 'RequestError';

	private constructor(
		readonly failure: Outcome,
		message: string,
		readonly description: string,
		/** What the failed request has changed at the service, or may have changed; part of the description. */
		readonly sideEffects?: string,
	) {
		super(message);
	}

	/** @param host of the API, as it is named in the error */
	static of(failure: Outcome, host: string, { hint, sideEffects }: Consequence = {}): RequestError {
		const { message, description } = describe(failure, host);
		return new RequestError(
			failure,
			message,
			sentences(sideEffects, description, hint),
			sideEffects,
		);
	}

	/** For a response that means more to the caller than to the client. */
	static forResponse(response: Pick<Responded, 'status'>, words: ErrorText): RequestError {
		const failure: Responded = {
			kind: 'response',
			status: response.status,
			text: '',
			headers: {},
			repeated: false,
		};
		return new RequestError(failure, words.message, words.description);
	}

	/** For a host other than that of the API. */
	static unreachable(code: string, { message, description }: ErrorText): RequestError {
		return new RequestError({ kind: 'unreachable', code }, message, description);
	}

	/** The same error, which first says what follows from it: that matters more than why it failed. */
	with({ hint, sideEffects }: Consequence): RequestError {
		const first = sentences(hint, sideEffects);
		return new RequestError(
			this.failure,
			this.message,
			sentences(first, this.description),
			sentences(sideEffects, this.sideEffects) || undefined,
		);
	}

	/** The same error after everything has been undone. */
	undone(hint: string): RequestError {
		return new RequestError(this.failure, this.message, sentences(hint, this.description));
	}

	/** The status of the response; undefined when there was none. */
	get status(): number | undefined {
		const cause = causeOf(this.failure);
		return cause?.kind === 'response' ? cause.status : undefined;
	}
}

export const isCancelled = (error: Error): boolean =>
	error instanceof RequestError && error.failure.kind === 'cancelled';

/** Whether the service refused a create because it has a webhook with this target URL already (D7). */
export const isConflict = (error: Error): boolean =>
	error instanceof RequestError &&
	error.failure.kind === 'response' &&
	isConflictResponse(error.failure);

/** What a failed request has changed at the service, or may have, in words; undefined when nothing has changed. */
export const sideEffectsOf = (error: Error): string | undefined =>
	error instanceof RequestError ? error.sideEffects : undefined;

/** Whether the service may have carried out the request, although its response does not show it. */
export function mayHaveWorked(error: Error): boolean {
	if (!(error instanceof RequestError)) return false;
	const { failure } = error;
	if (failure.kind === 'cancelled') return failure.mayHaveWorked;
	return failure.kind === 'uncertain' || (failure.kind === 'response' && isSuccess(failure));
}

/** Whether the service was out of reach, rather than refusing a request. */
export function isOutage(error: Error): boolean {
	if (!(error instanceof RequestError) || isCancelled(error)) return false;
	const { status } = error;
	return status === undefined || status === 429 || status >= 500;
}

/**
 * The error that a user sees. It has our message and description alone: n8n's own conversion of a response drops text
 * bodies such as 'Bad team' (§7), and converting an error a second time would ignore the new message.
 * @param itemIndex of the item that failed, when there are several
 */
export function toNodeError(
	node: INode,
	error: Error,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const item = itemIndex === undefined ? {} : { itemIndex };
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!(error instanceof RequestError)) return new NodeOperationError(node, error, item);
	const { message, description, status } = error;
	const details = { ...item, ...(description === '' ? {} : { description }) };
	if (isCancelled(error)) return new NodeOperationError(node, message, details);
	const httpCode = status === undefined ? {} : { httpCode: String(status) };
	const shown = new NodeApiError(node, {}, { message, ...details, ...httpCode });
	// n8n replaces a message in which it finds the code of a common error, such as ENOTFOUND in a quoted response.
	return Object.assign(shown, { message });
}

/** Waits for a task of a node, and reports its failure as n8n shows it. */
export async function reportedBy<T>(node: INode, task: Promise<T>): Promise<T> {
	return await task.catch((error: unknown) => {
		throw toNodeError(node, error instanceof Error ? error : new Error(String(error)));
	});
}
