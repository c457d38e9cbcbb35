/** What n8n and the package keep in memory, and whether it grows without end. */
import { WebSocket } from 'undici';
import { z } from 'zod';

/** How much n8n's own caches and statistics may grow, with the activities that the node remembers, in MB per history. */
const GROWTH_MB = 1;
/** With fewer histories, a trend cannot be told from noise. */
const MIN_MEMORIES = 8;
const MB = 1024 * 1024;

const memorySchema = z.object({
	/** What the package's runtime says of itself: the number of entries of each kind. */
	entries: z.record(z.number()),
	/** Heap used after a garbage collection, in MB. */
	heapMb: z.number(),
});
export type Memory = z.infer<typeof memorySchema>;

const targetsSchema = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const resultSchema = z.object({
	id: z.number(),
	result: z.object({ result: z.unknown() }).optional(),
});

/**
 * Asks a process of n8n that was started with `--inspect`, after a garbage collection.
 *
 * @param runtimeFile the module that n8n has loaded
 */
export async function readMemory(inspectorPort: number, runtimeFile: string): Promise<Memory> {
	const list = await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json();
	const [target] = targetsSchema.parse(list);
	if (target === undefined) throw new Error('n8n has no inspector');
	const expression = `JSON.stringify({
		entries: process.mainModule.require(${JSON.stringify(runtimeFile)}).processRuntime.stats(),
		heapMb: process.memoryUsage().heapUsed / ${MB},
	})`;
	const socket = new WebSocket(target.webSocketDebuggerUrl);
	const response = await new Promise<unknown>((resolve, reject) => {
		const send = (id: number, method: string, params = {}) =>
			socket.send(JSON.stringify({ id, method, params }));
		socket.addEventListener('error', () => reject(new Error("n8n's inspector does not respond")));
		socket.addEventListener('open', () => send(1, 'HeapProfiler.collectGarbage'));
		socket.addEventListener('message', ({ data }) => {
			const message = resultSchema.safeParse(JSON.parse(String(data))).data;
			if (message?.id === 1) send(2, 'Runtime.evaluate', { expression });
			if (message?.id === 2) resolve(message.result?.result);
		});
	});
	socket.close();
	const { value } = z.object({ value: z.string() }).parse(response);
	return memorySchema.parse(JSON.parse(value));
}

/** The entries that may stay after a history, in which all workflows were unpublished. */
const MAY_STAY = ['rememberedActivities', 'rateLimiters', 'told', 'absentFields', 'acceptedKeys'];

/** What is left of workflows that have all ended. @returns a line for each kind of entry */
export const leftIn = ({ entries }: Memory): string[] =>
	Object.entries(entries)
		.filter(([name, count]) => count > 0 && !MAY_STAY.includes(name))
		.map(([name, count]) => `left after all workflows have ended: ${count} ${name}`);

/**
 * Whether the memory grows without end.
 *
 * @param memories after each history, the first one first, all of one process
 * @returns a line if it does
 */
export function growthOf(memories: readonly Memory[]): string[] {
	const first = Math.floor(memories.length / 2);
	if (memories.length < MIN_MEMORIES) return [];
	const growth = slope(memories.slice(first).map(({ heapMb }) => heapMb));
	if (growth <= GROWTH_MB) return [];
	return [`from history ${first + 1} on, the heap grows by ${growth.toFixed(2)} MB each`];
}

/** The slope of the line of best fit (least squares), through at least two values. */
function slope(values: readonly number[]): number {
	const middle = (values.length - 1) / 2;
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const spread = values.reduce((sum, _, x) => sum + (x - middle) ** 2, 0);
	return values.reduce((sum, y, x) => sum + (x - middle) * (y - mean), 0) / spread;
}
