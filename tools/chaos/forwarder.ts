import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Passes TCP connections on to a port of this machine, unread. */
export interface Forwarder {
	/** Cuts all connections and stops listening. */
	stop(): Promise<void>;
}

/** Listens on `port`, and passes each connection on to `target`. If nothing listens there, it closes the connection. */
export async function startForwarder(port: number, target: number): Promise<Forwarder> {
	const open = new Set<Socket>();
	const server = createServer((incoming) => {
		const outgoing = connect(target, '127.0.0.1');
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
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		stop: async () => {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
