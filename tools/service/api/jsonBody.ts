import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem';

/** Takes any body as it is: what is wrong with one is a matter of the route, and a DELETE's body is nobody's. */
export function keepBodiesRaw(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
}

/**
 * The JSON that was sent (§4.2).
 * @throws Problem 415 for another content type, 400 for what is no JSON.
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

/** The value in a JSON text; undefined when it is none. */
export function parseJson(text: unknown): { value: unknown } | undefined {
	if (typeof text !== 'string') return undefined;
	try {
		const value: unknown = JSON.parse(text);
		return { value };
	} catch {
		return undefined;
	}
}
