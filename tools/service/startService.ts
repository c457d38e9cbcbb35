import { once } from 'node:events';
import type { Server } from 'node:http';
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

const LOOPBACK = '127.0.0.1';

/**
 * Starts a local service: the API on one port, and unless `control` is false, the control API and page on another.
 * @throws if a port isn't available or an option is invalid; then nothing is left listening.
 */
export async function startService({
	host = LOOPBACK,
	port = 0,
	control = true,
	controlPort = 0,
	...options
}: ServiceOptions = {}): Promise<RunningService> {
	const service = new LocalService(options);
	const api = await createApiServer(service);
	const controlServer = control ? await createControlServer(service, host) : undefined;
	let isClosed = false;
	const close = async () => {
		isClosed = true;
		await service.stopDeliveries();
		await Promise.all([closeServer(api), closeServer(controlServer)]);
	};
	const goDown = async (ms: number) => {
		const { port: same } = new URL(service.baseUrl);
		await closeServer(api);
		await sleep(ms);
		if (!isClosed) await listen(api, host, Number(same));
	};
	let outage = Promise.resolve();
	const goDownFor = (ms: number) => {
		outage = outage.then(() => goDown(ms));
		return outage;
	};
	try {
		service.baseUrl = `${await listen(api, host, port)}${BASE_PATH}`;
		if (controlServer) service.controlUrl = await listen(controlServer, host, controlPort);
		return Object.assign(service, { goDownFor, close });
	} catch (error) {
		await close();
		throw error;
	}
}

/** Stops listening, if the server listens, and closes its connections. */
async function closeServer(server: Server | undefined): Promise<void> {
	if (!server?.listening) return;
	server.close();
	server.closeAllConnections();
	await once(server, 'close');
}

/** @returns the URL at which the server can be reached from this machine. */
async function listen(server: Server, host: string, port: number): Promise<string> {
	await once(server.listen({ host, port }), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error(`Cannot listen on ${host}`);
	// A wildcard address can be listened on but not called.
	const reachable = ['0.0.0.0', '::'].includes(host) ? LOOPBACK : host;
	return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${address.port}`;
}
