import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../host';

/** A proxy in front of the service. Stopping it simulates a restart: it cuts open connections and refuses new ones. */
export interface ServiceProxy {
	/** The service's base URL through this proxy. */
	readonly baseUrl: string;
	/** Starts an outage of this many milliseconds, after any outage in progress. Returns immediately. */
	goDownFor(ms: number): void;
	/** Resolves once the proxy is up again. */
	whenUp(): Promise<void>;
}

export async function startServiceProxy(service: { baseUrl: string }): Promise<ServiceProxy> {
	const serviceUrl = new URL(service.baseUrl);
	const port = await freePort();
	const target = Number(serviceUrl.port);
	let stop = await forward(port, target);
	let outage = Promise.resolve();
	return {
		baseUrl: `http://127.0.0.1:${port}${serviceUrl.pathname}`,
		goDownFor: (ms) => {
			outage = outage.then(async () => {
				await stop();
				await pause(ms);
				stop = await forward(port, target);
			});
		},
		whenUp: () => outage,
	};
}

/**
 * Passes TCP connections to `port` on to `target`, unread.
 *
 * @returns a function that cuts all connections and stops listening
 */
async function forward(port: number, target: number): Promise<() => Promise<void>> {
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
	return async () => {
		for (const socket of open) socket.destroy();
		server.close();
		await once(server, 'close');
	};
}
