import { request, type Dispatcher } from 'undici';
import type { RunningService } from '../../../tools/service/index';

/** What came back; `json` is undefined when the body is no JSON. */
export interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	json: unknown;
}

/** The header of §5.3 for a key. */
export const basicAuth = (key: string): string =>
	`Basic ${Buffer.from(`:${key}`).toString('base64')}`;

/** How a call differs from a plain one with the service's first key. */
export interface CallOptions {
	key?: string;
	/** Sent as JSON; text is sent as it is. */
	body?: unknown;
	headers?: Record<string, string>;
}

/** Calls the API as a client of the interface does. */
export async function callApi(
	service: RunningService,
	method: Dispatcher.HttpMethod,
	path: string,
	{ key = service.apiKey, body, headers = {} }: CallOptions = {},
): Promise<Answer> {
	return call(`${service.baseUrl}${path}`, method, {
		headers: { authorization: basicAuth(key), ...headers },
		body,
	});
}

/** Calls any address, by default without credentials. */
export async function call(
	url: string,
	method: Dispatcher.HttpMethod,
	{ body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
	const answer = await request(url, {
		method,
		headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
	});
	const text = await answer.body.text();
	return { status: answer.statusCode, headers: answer.headers, text, json: tryJson(text) };
}

function tryJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
