import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** An error with the status and plain text of its response (§7). */
export class Problem extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
		this.name = 'Problem';
	}
}

/**
 * Reads the API key from an `Authorization` header: scheme Basic with the base64 encoding of `:KEY` (§5.3).
 * @returns undefined for anything else, such as another scheme, a login, an empty key or invalid base64.
 */
export function apiKeyFrom(header: string | undefined): string | undefined {
	const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
	if (encoded === undefined) return undefined;
	const decoded = Buffer.from(encoded, 'base64').toString('utf8');
	return decoded.startsWith(':') && decoded.length > 1 ? decoded.slice(1) : undefined;
}

/** Accepts any body as text, because each route validates its own and `DELETE` ignores its body. */
export function keepBodiesRaw(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
}

/**
 * Parses the JSON body of a request (§4.2).
 * @throws Problem 415 for another content type, 400 for invalid JSON.
 */
export function readJsonBody(request: FastifyRequest): unknown {
	const contentType = request.headers['content-type'] ?? '';
	if (!/^application\/json *(;|$)/i.test(contentType)) {
		throw new Problem(415, 'Content-Type must be application/json');
	}
	const parsed = parseJson(request.body);
	if (parsed === undefined) throw new Problem(400, 'The body is not valid JSON');
	return parsed.value;
}

/** Parses JSON. @returns undefined if it is invalid. */
export function parseJson(text: unknown): { value: unknown } | undefined {
	if (typeof text !== 'string') return undefined;
	try {
		const value: unknown = JSON.parse(text);
		return { value };
	} catch {
		return undefined;
	}
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Of errors that Fastify finds before a route does. */
const CLIENT_ERRORS: Readonly<Record<number, string>> = {
	413: 'The body is larger than 1 MB',
	500: 'Internal error',
};

/** Errors are plain text (§7). The response to an internal error reveals no details. */
export function addErrorResponses(app: FastifyInstance): void {
	app.setErrorHandler((error, _request, reply) => {
		const status =
			error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
				? error.statusCode
				: 500;
		const text = error instanceof Problem ? error.message : CLIENT_ERRORS[status];
		return reply
			.code(status)
			.type(PLAIN_TEXT)
			.send(text ?? 'Bad request');
	});
	app.setNotFoundHandler((_request, reply) =>
		reply.code(404).type(PLAIN_TEXT).send('No such route'),
	);
}

/** Responds with 400 to a request that isn't valid HTTP and closes the connection, if it is still open. */
export function respondToMalformedHttp(_error: Error, socket: Socket): void {
	if (!socket.writable) return;
	socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
}
