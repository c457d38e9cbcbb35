/** Local services that end with their test, and a client of their API. */
import { request, type Dispatcher } from 'undici';

import {
	startService,
	type RunningService,
	type ServiceOptions,
	type SwitchChanges,
} from '../../tools/service';
import { parseJson } from '../../tools/service/json';
import { startReceiver, type Receiver } from './testing/receiver';

const open: Array<{ close: () => Promise<void> }> = [];

afterEach(async () => {
	await Promise.all(open.splice(0).map(async (running) => running.close()));
});

/** Starts a service, without a rate limit and without the control API unless the options say otherwise. */
export async function service(options: ServiceOptions = {}): Promise<RunningService> {
	const switches = { rateLimit: 'off' as const, ...options.switches };
	const running = await startService({ control: false, ...options, switches });
	open.push(running);
	return running;
}

/** Starts a receiver of deliveries that is closed after the test. */
export async function receiver(): Promise<Receiver> {
	const running = await startReceiver();
	open.push(running);
	return running;
}

export const withSwitches = async (switches: SwitchChanges): Promise<RunningService> =>
	await service({ switches });

/** Calls any URL. A body is sent as JSON, or unchanged if it is a text. */
export async function call(
	url: string,
	method: Dispatcher.HttpMethod,
	{ body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
) {
	const response = await request(url, {
		method,
		headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
	});
	const text = await response.body.text();
	// `json` is undefined if the body is no JSON.
	const json = parseJson(text)?.value;
	return { status: response.statusCode, headers: response.headers, text, json };
}

/** Calls the API as a client would (§5.3). The key defaults to the service's first one. */
export const callApi = async (
	{ baseUrl, apiKey }: RunningService,
	method: Dispatcher.HttpMethod,
	path: string,
	{ key = apiKey, body }: { key?: string; body?: unknown } = {},
) => {
	const authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
	return await call(`${baseUrl}${path}`, method, { headers: { authorization }, body });
};
