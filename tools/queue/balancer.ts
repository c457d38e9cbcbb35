import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../host';

/** Spreads connections over several ports, as the load balancer in front of n8n's webhook processes does. */
export interface Balancer {
	readonly url: string;
	stop(): Promise<void>;
}

/**
 * Takes the next target for each connection. One that is down is not skipped: its caller is cut off, and has to come again.
 *
 * @param wish port to listen on; a free one unless told otherwise
 */
export async function startBalancer(targets: readonly number[], wish?: number): Promise<Balancer> {
	let next = 0;
	const open = new Set<Socket>();
	const server = createServer((incoming) => {
		const outgoing = connect(targets[next++ % targets.length] ?? 0, '127.0.0.1');
		for (const [one, other] of [
			[incoming, outgoing],
			[outgoing, incoming],
		] as const) {
			open.add(one);
			one.pipe(other);
			one.on('error', () => other.destroy());
			one.on('close', () => {
				open.delete(one);
				other.destroy();
			});
		}
	});
	const port = wish ?? (await freePort());
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${port}/`,
		stop: async () => {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
