import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

const hostnameOf = (hostHeader: string | undefined): string | undefined => {
	const url = `http://${hostHeader ?? ''}`;
	return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
};

/**
 * Rejects API clients that use the control URL by mistake. The control API lists webhooks too, so a wrong base URL would
 * seem to work. Only API clients send `Authorization`.
 */
export function addMisdirectionGuard(app: FastifyInstance, apiUrl: () => string): void {
	app.addHook('onRequest', async (request, reply) => {
		if (request.headers.authorization === undefined) return undefined;
		return reply
			.code(421)
			.send({ error: `This is the control API of the local service. The API is at ${apiUrl()}` });
	});
}

/**
 * Rejects requests that other websites make from the user's browser. Such a request carries the site's `Origin`, or
 * `Sec-Fetch-Site` with `cross-site` or `same-site`. A domain that resolves to this machine (DNS rebinding) shows in `Host`, where
 * only `localhost`, IP addresses and the configured host are accepted. Programs such as curl send neither header.
 */
export function addGuard(app: FastifyInstance, listensOn: string): void {
	app.addHook('onRequest', async (request, reply) => {
		const { host, origin, 'sec-fetch-site': site } = request.headers;
		const name = hostnameOf(host);
		const isNameOk =
			name !== undefined && (name === 'localhost' || name === listensOn || isIP(name) !== 0);
		const isOriginOk = origin === undefined || origin === `http://${host ?? ''}`;
		const isSiteOk = site === undefined || site === 'same-origin' || site === 'none';
		if (isNameOk && isOriginOk && isSiteOk) return undefined;
		return reply.code(403).send({ error: 'Requests from other websites are not allowed' });
	});
}
