import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Problem } from './problem';

const statusOf = (error: unknown): number => {
	const status =
		typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
	return typeof status === 'number' ? status : 500;
};

/** Errors are plain text (§7). The response to an internal error reveals no details. */
export function addErrorResponses(app: FastifyInstance): void {
	app.setErrorHandler((error, _request, reply) => {
		const text =
			error instanceof Problem ? error.message : (CLIENT_ERRORS[statusOf(error)] ?? 'Bad request');
		const status = statusOf(error);
		return reply
			.code(status)
			.type('text/plain; charset=utf-8')
			.send(status === 500 ? 'Internal error' : text);
	});
	app.setNotFoundHandler((_request, reply) =>
		reply.code(404).type('text/plain; charset=utf-8').send('No such route'),
	);
}

const CLIENT_ERRORS: Readonly<Record<number, string>> = {
	413: 'The body is larger than 1 MB',
	415: 'Content-Type must be application/json',
};

/** Responds with 400 to a request that isn't valid HTTP and closes the connection, if it is still open. */
export function respondToMalformedHttp(_error: Error, socket: Socket): void {
	if (!socket.writable) return;
	socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
}
