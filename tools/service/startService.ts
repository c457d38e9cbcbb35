import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BASE_PATH, createApiServer } from './api';
import { createControlApp } from './control';
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
	/** The API's base URL with its prefix, such as `http://127.0.0.1:4010/api`. */
	readonly baseUrl: string;
	/** The URL of the control page and API; empty without them. */
	readonly controlUrl: string;
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
	const urls = { baseUrl: '', controlUrl: '' };
	const controlApp = control ? createControlApp(service, { host, urls }) : undefined;
	let closing: Promise<void> | undefined;
	const closeAll = async () => {
		await service.stopDeliveries();
		await Promise.all([closeServer(api), controlApp?.close()]);
	};
	const close = () => {
		closing ??= closeAll();
		return closing;
	};
	const goDown = async (ms: number) => {
		const { port: same } = new URL(urls.baseUrl);
		await closeServer(api);
		await sleep(ms);
		if (closing === undefined) await once(api.listen({ host, port: Number(same) }), 'listening');
	};
	let outage = Promise.resolve();
	const goDownFor = (ms: number) => {
		outage = outage.then(() => goDown(ms));
		return outage;
	};
	try {
		api.listen({ host, port });
		await naming(port, once(api, 'listening'));
		urls.baseUrl = `${urlOf(api, host)}${BASE_PATH}`;
		if (controlApp) {
			await naming(controlPort, controlApp.listen({ host, port: controlPort }));
			urls.controlUrl = urlOf(controlApp.server, host);
		}
		return Object.assign(service, urls, { goDownFor, close });
	} catch (error) {
		await close();
		throw error;
	}
}

/** Stops listening, if the server listens, and closes its connections. */
async function closeServer(server: Server): Promise<void> {
	if (!server.listening) return;
	server.close();
	server.closeAllConnections();
	await once(server, 'close');
}

const isInUse = (error: unknown): boolean =>
	error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Names the port in the error if it is in use. */
async function naming(port: number, listening: Promise<unknown>): Promise<void> {
	await listening.catch((error: unknown) => {
		throw isInUse(error) ? new Error(`Port ${port} is in use`, { cause: error }) : error;
	});
}

/** Where a server that listens on a host can be reached from this machine. */
function urlOf(server: Server, host: string): string {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error(`Cannot listen on ${host}`);
	// A wildcard address can be listened on but not called.
	const isWildcard = host === '0.0.0.0' || host === '::';
	const reachable = isWildcard ? LOOPBACK : host;
	const name = reachable.includes(':') ? `[${reachable}]` : reachable;
	return `http://${name}:${address.port}`;
}
