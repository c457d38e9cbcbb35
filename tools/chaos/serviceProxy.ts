import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../host';
import { startBalancer } from '../queue/balancer';

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
	let balancer = await startBalancer([target], port);
	let outage = Promise.resolve();
	return {
		baseUrl: `http://127.0.0.1:${port}${serviceUrl.pathname}`,
		goDownFor: (ms) => {
			outage = outage.then(async () => {
				await balancer.stop();
				await pause(ms);
				balancer = await startBalancer([target], port);
			});
		},
		whenUp: () => outage,
		stop: async () => {
			await outage;
			await balancer.stop();
		},
	};
}
