import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

const hostnameOf = (hostHeader: string | undefined): string | undefined => {
	const url = `http://${hostHeader ?? ''}`;
	return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
};

/**
 * Refuses a client of the API that has the control side's URL by mistake: it lists webhooks too, so a wrong base URL would
 * seem to work. Only such clients send `Authorization`.
 */
export function addMisdirectionGuard(app: FastifyInstance, apiUrl: () => string): void {
	app.addHook('onRequest', async (request, reply) => {
		if (request.headers.authorization === undefined) return undefined;
		return reply.code(421).send({ error: `This is the control side. The API is at ${apiUrl()}` });
	});
}

/**
 * Keeps web pages in the person's browser away from the control routes. A page of another site sends its own `Origin`, or
 * none with a `Sec-Fetch-Site` that tells; and a name that was made to point here (DNS rebinding) shows in `Host`, where only
 * `localhost`, plain addresses and the name listened on are let through. Programs such as curl send neither header.
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
		return reply.code(403).send({ error: 'Only for this machine, not for other web pages' });
	});
}
