import { Agent, errors, request } from 'undici';
import { z } from 'zod';

/** The outcome of a POST: the status of the response, or why there was none. */
export interface Outcome {
	status: number | undefined;
	error: string | undefined;
}

/** Node.js errors carry a code, those of undici and abort signals a name. */
const errorSchema = z.object({
	name: z.string(),
	message: z.string(),
	code: z.union([z.string(), z.number()]).optional(),
});

function reasonFor(error: unknown): string {
	const parsed = errorSchema.safeParse(error);
	if (!parsed.success) return String(error);
	const { name, message, code } = parsed.data;
	if (name === 'TimeoutError') return 'timed out';
	if (error instanceof errors.ClientDestroyedError) return 'service stopped';
	return typeof code === 'string' ? code : message;
}

/** Posts JSON. It doesn't follow redirects: a 3xx is a response like any other that isn't a 2xx. */
export class Poster {
	private readonly agent = new Agent({ keepAliveTimeout: 4000 });

	/** Never rejects. @param timeoutMs until the end of the response */
	async post(url: string, body: string, timeoutMs: number): Promise<Outcome> {
		try {
			const response = await request(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'user-agent': 'outreach-service' },
				body,
				dispatcher: this.agent,
				signal: AbortSignal.timeout(timeoutMs),
			});
			await response.body.dump();
			return { status: response.statusCode, error: undefined };
		} catch (error) {
			return { status: undefined, error: reasonFor(error) };
		}
	}

	/** Aborts all requests in flight. */
	async close(): Promise<void> {
		await this.agent.destroy();
	}
}
