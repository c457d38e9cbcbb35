/** The response to a delivery, which n8n ends, and its sender, who may disconnect before that. */
import { sleep } from 'n8n-workflow';

/** How long n8n may take to end a response, in milliseconds: it may queue an execution for long, or never respond. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** How often it is checked whether n8n has ended the response to a sender that has disconnected, in milliseconds. */
const POLL_MS = 500;

/**
 * The parts of Node's response that tell what the sender was told, and whether it is still connected. Only the connection
 * tells the latter: while it has an earlier response to send (HTTP pipelining), this one learns of no disconnect.
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
};

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
