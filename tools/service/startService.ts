import { setTimeout as sleep } from 'node:timers/promises';
import { BASE_PATH, createApiServer } from './api';
import { createControlServer } from './control';
import { LocalService, type StateOptions } from './localService';

export interface ServiceOptions extends StateOptions {
	/** Port of the API; 0 picks a free one. Default 0. */
	port?: number;
	/** Whether to start the control API and page, which take longer to start than the API. Default: true. */
	control?: boolean;
	/** Port of the control API and page; 0 picks a free one. Default 0. */
	controlPort?: number;
	/** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
	host?: string;
}

/** A service that is listening. */
export interface RunningService extends LocalService {
	/**
	 * Cuts the connections to the API and refuses new ones for a time, as during a restart, after any outage in progress.
	 * Resolves once the API listens again.
	 */
	goDownFor(ms: number): Promise<void>;
	/** Stops listening, closes connections and ends deliveries. Calling it again has no effect. */
	close(): Promise<void>;
}

/**
 * Starts a local service: the API on one port, and unless `control` is false, the control API and page on another.
 * @throws if a port isn't available or an option is invalid; then nothing is left listening.
 */
export async function startService({
	host = '127.0.0.1',
	port = 0,
	control = true,
	controlPort = 0,
	...options
}: ServiceOptions = {}): Promise<RunningService> {
	const service = new LocalService(options);
	let api = createApiServer(service);
	const controlServer = control ? createControlServer(service, host) : undefined;
	let isClosed = false;
	const close = async () => {
		isClosed = true;
		await service.stopDeliveries();
		await Promise.all([api.close(), controlServer?.close()]);
	};
	const goDown = async (ms: number) => {
		await api.close();
		await sleep(ms);
		if (isClosed) return;
		api = createApiServer(service);
		await api.listen({ host, port: Number(new URL(service.baseUrl).port) });
	};
	let outage = Promise.resolve();
	const goDownFor = (ms: number) => {
		outage = outage.then(() => goDown(ms));
		return outage;
	};
	try {
		service.baseUrl = `${await api.listen({ host, port })}${BASE_PATH}`;
		if (controlServer) service.controlUrl = await controlServer.listen({ host, port: controlPort });
		return Object.assign(service, { goDownFor, close });
	} catch (error) {
		await close();
		throw error;
	}
}
