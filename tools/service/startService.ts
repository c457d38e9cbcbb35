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
	const api = createApiServer(service);
	const controlServer = control ? createControlServer(service, host) : undefined;
	const close = async () => {
		await service.stopDeliveries();
		await Promise.all([api.close(), controlServer?.close()]);
	};
	try {
		service.baseUrl = `${await api.listen({ host, port })}${BASE_PATH}`;
		if (controlServer) service.controlUrl = await controlServer.listen({ host, port: controlPort });
		return Object.assign(service, { close });
	} catch (error) {
		await close();
		throw error;
	}
}
