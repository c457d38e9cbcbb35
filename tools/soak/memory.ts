import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { z } from 'zod';
import { PACKAGE_NAME, waitFor } from '../host';

/** What n8n and the package keep in memory. */
export interface Memory {
	/** What the package's runtime says of itself: the number of entries of each kind. */
	entries: Readonly<Record<string, number>>;
	/** Heap used after a garbage collection, in MB. */
	heapMb: number;
	/** Resident memory of the process, in MB. */
	rssMb: number;
}

const MB = 1024 * 1024;
const RUNTIME = `.n8n/nodes/node_modules/${PACKAGE_NAME}/dist/nodes/OutreachService/runtime/runtime.js`;

const targetsSchema = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const replySchema = z.object({
	id: z.number().optional(),
	result: z.object({ result: z.object({ value: z.unknown() }).optional() }).optional(),
	error: z.object({ message: z.string() }).optional(),
});

/**
 * Reads the memory of an n8n through its inspector (Chrome DevTools Protocol).
 *
 * @param port of n8n's `--inspect` option
 */
export async function inspectMemory(
	port: number,
	userFolder: string,
): Promise<{ read: () => Promise<Memory>; close: () => void }> {
	const [target] = await waitFor(
		"n8n's inspector",
		async () =>
			targetsSchema.parse(await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()),
		() => true,
	);
	const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
	await once(socket, 'open');
	const replies = new Map<number, (reply: z.infer<typeof replySchema>) => void>();
	const closed = new Promise<never>((_, reject) => {
		socket.addEventListener('close', () => {
			reject(new Error('The connection to the inspector ended'));
		});
	});
	// Only a call that waits for its reply fails.
	closed.catch(() => undefined);
	socket.addEventListener('message', ({ data }) => {
		const reply = replySchema.parse(JSON.parse(String(data)));
		if (reply.id !== undefined) replies.get(reply.id)?.(reply);
	});

	const call = async (method: string, params: object): Promise<unknown> => {
		const id = replies.size + 1;
		const reply = new Promise<z.infer<typeof replySchema>>((resolve) => {
			replies.set(id, resolve);
		});
		socket.send(JSON.stringify({ id, method, params }));
		const { result, error } = await Promise.race([reply, closed]);
		if (error !== undefined) throw new Error(`${method}: ${error.message}`);
		return result?.result?.value;
	};
	const evaluate = (expression: string) =>
		// The command line API provides `require`, which returns the modules that n8n has loaded.
		call('Runtime.evaluate', { expression, returnByValue: true, includeCommandLineAPI: true });
	const runtime = JSON.stringify(join(userFolder, RUNTIME));

	return {
		read: async () => {
			await call('HeapProfiler.collectGarbage', {});
			return {
				entries: z
					.record(z.number())
					.parse(await evaluate(`require(${runtime}).processRuntime.stats()`)),
				heapMb: z.number().parse(await evaluate('process.memoryUsage().heapUsed')) / MB,
				rssMb: z.number().parse(await evaluate('process.memoryUsage().rss')) / MB,
			};
		},
		close: () => {
			socket.close();
		},
	};
}
