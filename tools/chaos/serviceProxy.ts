import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../host';
import { startForwarder } from './forwarder';

/** A proxy in front of the service. Stopping it simulates a restart: it cuts open connections and refuses new ones. */
export interface ServiceProxy {
	/** The service's base URL through this proxy. */
	readonly baseUrl: string;
	/** Starts an outage of this many milliseconds, after any outage in progress. Returns immediately. */
	goDownFor(ms: number): void;
	/** Resolves once the proxy is up again. */
	whenUp(): Promise<void>;
	stop(): Promise<void>;
}

export async function startServiceProxy(service: { baseUrl: string }): Promise<ServiceProxy> {
	const serviceUrl = new URL(service.baseUrl);
	const port = await freePort();
	const target = Number(serviceUrl.port);
	let forwarder = await startForwarder(port, target);
	let outage = Promise.resolve();
	return {
		baseUrl: `http://127.0.0.1:${port}${serviceUrl.pathname}`,
		goDownFor: (ms) => {
			outage = outage.then(async () => {
				await forwarder.stop();
				await pause(ms);
				forwarder = await startForwarder(port, target);
			});
		},
		whenUp: () => outage,
		stop: async () => {
			await outage;
			await forwarder.stop();
		},
	};
}
