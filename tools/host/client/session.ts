import { z } from 'zod';

/** Thrown if n8n responds with anything but a 2xx. */
export class N8nRequestError extends Error {
	override readonly name = 'N8nRequestError';

	/** n8n's message, as its editor shows it. */
	readonly reason: string;

	constructor(
		request: string,
		readonly status: number,
		readonly body: string,
	) {
		const reason = messageOf(body);
		super(`${request} failed with status ${status}: ${reason}`);
		this.reason = reason;
	}
}

export interface RequestOptions {
	query?: Record<string, string>;
	body?: unknown;
}

const REQUEST_TIMEOUT_MS = 60_000;

/** Sends requests to n8n's internal REST API as the editor does, and keeps the session cookie. */
export class N8nSession {
	/** n8n ties each session to the browser ID that signed in. */
	private readonly browserId = crypto.randomUUID();

	private cookie = '';

	/** @param url n8n's URL, such as http://127.0.0.1:5678 */
	constructor(readonly url: string) {}

	/**
	 * @param path after `/rest`
	 * @throws N8nRequestError if the response isn't a 2xx
	 * @throws ZodError if the `data` of the response doesn't match `schema`
	 */
	async request<Output>(
		method: string,
		path: string,
		schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
		{ query = {}, body }: RequestOptions = {},
	): Promise<Output> {
		const search = new URLSearchParams(query).toString();
		const address = `/rest${path}${search === '' ? '' : `?${search}`}`;
		const text = await this.send(method, address, body);
		return schema.parse(dataOf(text, `${method} ${path}`));
	}

	/** Fetches one of the JSON files that n8n generates for its editor, such as `/types/nodes.json`. */
	async readFile<Output>(
		path: string,
		schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
	): Promise<Output> {
		return schema.parse(JSON.parse(await this.send('GET', path)));
	}

	private async send(method: string, path: string, body?: unknown): Promise<string> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				'browser-id': this.browserId,
				...(this.cookie !== '' && { cookie: this.cookie }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		const text = await response.text();
		if (!response.ok) throw new N8nRequestError(`${method} ${path}`, response.status, text);
		this.keepCookie(response);
		return text;
	}

	private keepCookie(response: Response): void {
		const authCookie = response.headers.getSetCookie().find((line) => line.startsWith('n8n-auth='));
		if (authCookie !== undefined) this.cookie = authCookie.split(';')[0] ?? '';
	}
}

/** Unwraps a response: n8n's have the form `{ data: … }`. */
function dataOf(text: string, request: string): unknown {
	if (text === '') return undefined;
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch (error) {
		// During startup, n8n responds to /rest with its start page.
		throw new Error(`${request} did not return JSON: ${text.slice(0, 200)}`, {
			cause: error,
		});
	}
	return typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed;
}

const errorSchema = z.object({ message: z.string() });

/** n8n's error message, without the stack trace that comes with it. */
function messageOf(body: string): string {
	try {
		return errorSchema.parse(JSON.parse(body)).message;
	} catch {
		// Not n8n's format: the start of the body is more useful than a parse error.
		return body.slice(0, 500);
	}
}
