/** What the API and the control API share: reading a request, finding its route, and sending the response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ZodError } from 'zod';

/** A response to send. */
export interface Reply<Body = string> {
	status: number;
	headers?: Record<string, string>;
	body?: Body | undefined;
}

/** An error with the status and text of its response. */
export class Problem extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
		this.name = 'Problem';
	}
}

export const json = (value: unknown, status = 200): Reply => ({
	status,
	headers: { 'content-type': 'application/json; charset=utf-8' },
	body: JSON.stringify(value),
});

/** What is wrong with a value, in one line. */
export const textOf = ({ issues }: ZodError): string =>
	issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');

/** Parses JSON. @returns undefined if it is invalid. */
export function parseJson(content: string): { value: unknown } | undefined {
	try {
		const value: unknown = JSON.parse(content);
		return { value };
	} catch {
		return undefined;
	}
}

/**
 * Reads the API key from an `Authorization` header: scheme Basic with the base64 encoding of `:KEY` (§5.3).
 * @returns undefined for anything else, such as another scheme, a login, an empty key or invalid base64.
 */
export function apiKeyFrom(header = ''): string | undefined {
	const [, encoded = ''] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
	return /^:(.+)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8'))?.[1];
}

/** @throws Problem 415 for another content type, 400 for invalid JSON */
export async function readJson(request: IncomingMessage): Promise<unknown> {
	if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
		throw new Problem(415, 'Content-Type must be application/json');
	}
	const parsed = parseJson(await text(request));
	if (parsed === undefined) throw new Problem(400, 'The body is not valid JSON');
	return parsed.value;
}

/** Finds the route of a request, such as `DELETE /hooks/:id`, and the value of its parameter. */
export function findRoute<Handler>(
	routes: Readonly<Record<string, Handler>>,
	method = '',
	path = '',
): { handler: Handler; id: string } | undefined {
	for (const [route, handler] of Object.entries(routes)) {
		const pattern = new RegExp(`^${route.replace(/:\w+/, '([^/]+)').replaceAll('.', '\\.')}$`);
		const found = pattern.exec(`${method} ${path}`);
		if (found) return { handler, id: decoded(found[1] ?? '') };
	}
	return undefined;
}

/** A part of a path that is badly encoded is no ID of anything. */
function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** Sends a response. Without one, or when its stream fails, the connection is cut. */
export async function send(
	response: ServerResponse,
	reply: Reply<string | Readable> | undefined,
): Promise<void> {
	// The client has closed the connection.
	if (response.destroyed) return;
	if (reply === undefined) {
		response.destroy();
		return;
	}
	const { status, headers = {}, body } = reply;
	response.statusCode = status;
	response.setHeaders(new Map(Object.entries(headers)));
	if (body === undefined || typeof body === 'string') response.end(body);
	else await pipeline(body, response).catch(() => undefined);
}
