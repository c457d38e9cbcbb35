import { once } from 'node:events';
import { WebSocket } from 'undici';
import { z } from 'zod';
import { waitFor } from '../host';

const targetsSchema = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const replySchema = z.object({
	id: z.number().optional(),
	result: z.unknown(),
	error: z.object({ message: z.string() }).optional(),
});

/** Inspects another Node.js process through its inspector (Chrome DevTools Protocol). */
export class Inspector {
	private lastId = 0;
	private readonly waiting = new Map<number, (reply: z.infer<typeof replySchema>) => void>();
	private readonly closed: Promise<never>;

	private constructor(private readonly socket: WebSocket) {
		this.closed = new Promise((_, reject) => {
			socket.addEventListener('close', () => {
				reject(new Error('The connection to the inspector ended'));
			});
		});
		// Only a call that waits for its reply fails.
		this.closed.catch(() => undefined);
		socket.addEventListener('message', ({ data }) => {
			const reply = replySchema.parse(JSON.parse(String(data)));
			if (reply.id === undefined) return;
			this.waiting.get(reply.id)?.(reply);
			this.waiting.delete(reply.id);
		});
	}

	/** @param port of the process's `--inspect` option */
	static async connect(port: number): Promise<Inspector> {
		const [target] = await waitFor(
			"n8n's inspector",
			async () =>
				targetsSchema.parse(await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()),
			() => true,
		);
		const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
		const inspector = new Inspector(socket);
		await Promise.race([once(socket, 'open'), inspector.closed]);
		return inspector;
	}

	/** @throws the error that the process responds with, or a ZodError if the response is unexpected */
	async call<Result>(
		method: string,
		parameters: object,
		result: z.ZodType<Result, z.ZodTypeDef, unknown>,
	): Promise<Result> {
		const id = ++this.lastId;
		const reply = new Promise<z.infer<typeof replySchema>>((resolve) => {
			this.waiting.set(id, resolve);
		});
		this.socket.send(JSON.stringify({ id, method, params: parameters }));
		const { result: value, error } = await Promise.race([reply, this.closed]);
		if (error !== undefined) throw new Error(`${method}: ${error.message}`);
		return result.parse(value);
	}

	close(): void {
		this.socket.close();
	}
}
