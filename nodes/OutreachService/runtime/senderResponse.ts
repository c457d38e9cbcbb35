/** The response to a delivery, which n8n ends, and its sender, who may disconnect before that. */
import { sleep } from 'n8n-workflow';

/** After how many seconds a sender may try again if the reason for a refusal can be over at any moment. */
export const RETRY_SOON_SECONDS = 1;
/** How long n8n may take to end a response, in milliseconds: it may queue an execution for long, or never respond. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** How often it is checked whether n8n has ended the response to a sender that has disconnected, in milliseconds. */
const POLL_MS = 500;

/**
 * The parts of Node's response with which a sender is told something, and which tell what it was told and whether it is still
 * connected. Only the connection tells the latter: while it has an earlier response to send (HTTP pipelining), this one learns of
 * no disconnect.
 */
export type SenderResponse = {
	readonly statusCode: number;
	readonly writableEnded: boolean;
	readonly req: {
		readonly socket: {
			readonly destroyed: boolean;
			once(event: 'close', listener: () => void): unknown;
			off(event: 'close', listener: () => void): unknown;
		};
	};
	once(event: 'finish', listener: () => void): unknown;
	setHeader(name: string, value: number): unknown;
	status(code: number): { end(): unknown };
};

/**
 * Responds in place of n8n, so that no execution starts.
 * @param retryAfterSeconds when the sender may try again, if that is worthwhile
 */
export function respondTo(
	response: SenderResponse,
	status: number,
	retryAfterSeconds?: number,
): void {
	if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
	response.status(status).end();
}

/** Whether nothing can be sent any more: the sender has disconnected, or n8n has ended the response. */
export const isClosed = ({ req, writableEnded }: SenderResponse): boolean =>
	req.socket.destroyed || writableEnded;

/** Waits until the sender has disconnected, or the response is sent. */
export async function untilClosed(response: SenderResponse): Promise<void> {
	if (isClosed(response)) return;
	const { socket } = response.req;
	await new Promise<void>((resolve) => {
		const settle = (): void => {
			// The connection may have many more responses to send.
			socket.off('close', settle);
			resolve();
		};
		response.once('finish', settle);
		socket.once('close', settle);
	});
}

/**
 * Waits for n8n to end the response to a delivery, also when its sender has disconnected in the meantime, however long
 * n8n queues the execution.
 * @returns the status; undefined when there is none after {@link LONGEST_MS}
 */
export async function finalStatusOf(response: SenderResponse): Promise<number | undefined> {
	await untilClosed(response);
	const until = performance.now() + LONGEST_MS;
	// Node emits nothing when n8n ends the response to a sender that has disconnected.
	while (!response.writableEnded) {
		if (performance.now() >= until) return undefined;
		await sleep(POLL_MS);
	}
	return response.statusCode;
}
