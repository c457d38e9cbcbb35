import { z } from 'zod';

/** An answer of n8n's that is not a success. */
export class N8nRequestError extends Error {
	override readonly name = 'N8nRequestError';

	/** What n8n says, as its editor shows it. */
	readonly reason: string;

	constructor(
		request: string,
		readonly status: number,
		readonly body: string,
	) {
		const reason = messageOf(body);
		super(`${request} was answered with ${status}: ${reason}`);
		this.reason = reason;
	}
}

export interface RequestOptions {
	query?: Record<string, string>;
	body?: unknown;
}

const REQUEST_TIMEOUT_MS = 60_000;

/** Speaks to n8n's internal REST API as its editor does, and keeps the sign-in. */
export class N8nSession {
	/** n8n ties a sign-in to the browser that made it, and knows the browser by this. */
	private readonly browserId = crypto.randomUUID();

	private cookie = '';

	/** @param url of n8n, such as http://127.0.0.1:5678 */
	constructor(readonly url: string) {}

	/**
	 * @param path after `/rest`
	 * @throws N8nRequestError for anything but a success
	 * @throws ZodError when the answer's `data` is not of the shape expected
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

	/** Reads one of the JSON files that n8n makes for its editor, such as `/types/nodes.json`. */
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

/** n8n wraps its answers: `{ data: … }`. */
function dataOf(text: string, request: string): unknown {
	if (text === '') return undefined;
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch (error) {
		// While it starts, n8n answers /rest with its start page.
		throw new Error(`${request} was not answered with JSON: ${text.slice(0, 200)}`, {
			cause: error,
		});
	}
	return typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed;
}

const refusalSchema = z.object({ message: z.string() });

/** n8n's own words; the rest of its answer is a stack trace. */
function messageOf(body: string): string {
	try {
		return refusalSchema.parse(JSON.parse(body)).message;
	} catch {
		// Not n8n's format: the start of the text says more than a parse error would.
		return body.slice(0, 500);
	}
}
