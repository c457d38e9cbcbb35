import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** A delivery as received. */
interface Received {
	method: string | undefined;
	headers: IncomingHttpHeaders;
	path: string;
	body: Record<string, unknown>;
}

/** A server that receives deliveries. */
export interface Receiver {
	url: string;
	received: Received[];
	/** Returns the status of the response, or undefined to send none. Can be replaced. */
	respond: (delivery: Received, count: number) => number | undefined;
	close: () => Promise<void>;
}

/** Starts a receiver on a free port. It responds with 200 by default. */
export async function startReceiver(): Promise<Receiver> {
	const receive = async (request: IncomingMessage, response: ServerResponse) => {
		const body = z.record(z.string(), z.unknown()).parse(JSON.parse(await text(request)));
		const { method, headers, url = '' } = request;
		const delivery = { method, headers, path: url, body };
		receiver.received.push(delivery);
		const status = receiver.respond(delivery, receiver.received.length);
		if (status !== undefined) response.writeHead(status).end();
	};
	const server = createServer((request, response) => void receive(request, response));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('No address');
	const receiver: Receiver = {
		url: `http://127.0.0.1:${address.port}/hook`,
		received: [],
		respond: () => 200,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return receiver;
}
