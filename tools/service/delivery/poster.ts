import { Agent, errors, request } from 'undici';
import { z } from 'zod';

/** What came of a POST: an answer, or why there was none. */
export interface Outcome {
	status: number | undefined;
	error: string | undefined;
}

/** Node's errors carry a code, undici's and the abort signal's a name. */
const failure = z.object({
	name: z.string(),
	message: z.string(),
	code: z.union([z.string(), z.number()]).optional(),
});

function reasonFor(error: unknown): string {
	const parsed = failure.safeParse(error);
	if (!parsed.success) return String(error);
	const { name, message, code } = parsed.data;
	if (name === 'TimeoutError') return 'timed out';
	if (error instanceof errors.ClientDestroyedError) return 'service stopped';
	return typeof code === 'string' ? code : message;
}

/** Posts JSON. Redirects are not followed: the receiver answered, and not with a 2xx. */
export class Poster {
	private readonly agent = new Agent({ keepAliveTimeout: 4000 });

	/** @param timeoutMs for the whole of it, up to the end of the answer. Never rejects. */
	async post(url: string, body: string, timeoutMs: number): Promise<Outcome> {
		try {
			const answer = await request(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'user-agent': 'outreach-service' },
				body,
				dispatcher: this.agent,
				signal: AbortSignal.timeout(timeoutMs),
			});
			await answer.body.dump();
			return { status: answer.statusCode, error: undefined };
		} catch (error) {
			return { status: undefined, error: reasonFor(error) };
		}
	}

	/** Breaks off whatever is under way. */
	async close(): Promise<void> {
		await this.agent.destroy();
	}
}
