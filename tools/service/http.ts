/** What requests and responses contain: a key, JSON, and what is wrong. */
import type { ZodError } from 'zod';

/** A response of the API, which faults can change before it is sent. */
export interface Reply<Body = string> {
	status: number;
	headers?: Record<string, string>;
	body?: Body | undefined;
}

/** An error with the status and text of its response. */
export class Problem extends Error {
	constructor(
		/** Where Fastify finds it. */
		readonly statusCode: number,
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
