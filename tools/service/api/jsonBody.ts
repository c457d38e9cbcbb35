import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem';

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
