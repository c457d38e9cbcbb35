import type { FastifyInstance } from 'fastify';
import { BASE_PATH, createApiApp } from './api/apiApp';
import { createControlApp } from './control/controlApp';
import { LocalService } from './localService';
import { createParts } from './serviceParts';
import type { RunningService, ServiceOptions } from './serviceTypes';

const LOOPBACK = '127.0.0.1';

/**
 * Starts a local service: the API on one port, and unless `control` is false, the control API and page on another.
 * @throws if a port isn't available or an option is invalid; then nothing is left listening.
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
	const host = options.host ?? LOOPBACK;
	const parts = createParts(options);
	const service = new LocalService(parts);
	const api = createApiApp(parts);
	const control = options.control === false ? undefined : createControlApp(service, { host });
	const close = async () => {
		await parts.dispatcher.close();
		await Promise.all([api.close(), control?.close()]);
	};
	try {
		const baseUrl = `${await listen(api, host, options.port ?? 0)}${BASE_PATH}`;
		const controlUrl = control ? await listen(control, host, options.controlPort ?? 0) : '';
		return service.listensAt({ baseUrl, controlUrl, close });
	} catch (error) {
		await close();
		throw error;
	}
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
	await app.listen({ host, port });
	const address = app.server.address();
	if (address === null || typeof address === 'string') throw new Error(`Cannot listen on ${host}`);
	// A wildcard address can be listened on but not called.
	const isWildcard = host === '0.0.0.0' || host === '::';
	const name = isWildcard ? LOOPBACK : host.includes(':') ? `[${host}]` : host;
	return `http://${name}:${address.port}`;
}
