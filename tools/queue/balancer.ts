import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../host';

/** A load balancer in front of n8n's webhook processes: distributes connections over several ports. */
export interface Balancer {
	readonly url: string;
	stop(): Promise<void>;
}

/**
 * Round robin. A target that is down is not skipped: the connection is closed, and the caller must retry.
 *
 * @param preferredPort the port to listen on (default: a free one)
 */
export async function startBalancer(
	targets: readonly number[],
	preferredPort?: number,
): Promise<Balancer> {
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
	const port = preferredPort ?? (await freePort());
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
