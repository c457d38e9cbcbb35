import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
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
	const { port: servicePort, pathname } = new URL(service.baseUrl);
	const port = await freePort();
	/** Passes connections on, unread. @returns a function that cuts them and stops listening */
	const forward = async () => {
		const open = new Set<Socket>();
		const server = createServer((incoming) => {
			open.add(incoming);
			const outgoing = connect(Number(servicePort), '127.0.0.1');
			// When either ends, so does the other.
			pipeline(incoming, outgoing, incoming, () => open.delete(incoming));
		});
		server.listen(port, '127.0.0.1');
		await once(server, 'listening');
		return async () => {
			for (const socket of open) socket.destroy();
			server.close();
			await once(server, 'close');
		};
	};
	let stop = await forward();
	let outage = Promise.resolve();
	return {
		baseUrl: `http://127.0.0.1:${port}${pathname}`,
		goDownFor: (ms) => {
			outage = outage.then(async () => {
				await stop();
				await pause(ms);
				stop = await forward();
			});
		},
		whenUp: () => outage,
	};
}
