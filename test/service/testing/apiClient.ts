import { request, type Dispatcher } from 'undici';
import { parseJson } from '../../../tools/service/json';
import type { RunningService } from '../../../tools/service/index';

/** A response; `json` is undefined if the body isn't JSON. */
export interface ApiResponse {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	json: unknown;
}

/** The value of the `Authorization` header for an API key (§5.3). */
const basicAuth = (key: string): string => `Basic ${Buffer.from(`:${key}`).toString('base64')}`;

/** Options of a call. The API key defaults to the service's first key. */
export interface CallOptions {
	key?: string;
	/** Sent as JSON, or unchanged if it is a string. */
	body?: unknown;
	headers?: Record<string, string>;
}

/** Calls the API as a client would. */
export async function callApi(
	service: RunningService,
	method: Dispatcher.HttpMethod,
	path: string,
	{ key = service.apiKey, body, headers = {} }: CallOptions = {},
): Promise<ApiResponse> {
	return call(`${service.baseUrl}${path}`, method, {
		headers: { authorization: basicAuth(key), ...headers },
		body,
	});
}

/** Calls any URL, without credentials by default. */
export async function call(
	url: string,
	method: Dispatcher.HttpMethod,
	{ body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
	const response = await request(url, {
		method,
		headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
	});
	const text = await response.body.text();
	return {
		status: response.statusCode,
		headers: response.headers,
		text,
		json: parseJson(text)?.value,
	};
}
