import Fastify, { type FastifyInstance } from 'fastify';
import { ZodError } from 'zod';
import type { LocalService } from '../localService';
import { addGuard, addMisdirectionGuard } from './guard';
import { addPage } from './page';
import { addControlRoutes } from './routes';

/** Creates the server for the control API and the control page. It isn't listening yet. */
export function createControlApp(
	service: LocalService,
	{ host }: { host: string },
): FastifyInstance {
	const app = Fastify({ forceCloseConnections: true, bodyLimit: 8 * 1024 * 1024 });
	// Browsers let a form on another site post text without a preflight request, but not JSON.
	app.removeContentTypeParser('text/plain');
	addGuard(app, host);
	addMisdirectionGuard(app, () => service.baseUrl);
	app.setErrorHandler((error, _request, reply) => {
		if (error instanceof ZodError) {
			const problems = error.issues.map(
				({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
			);
			return reply.code(400).send({ error: problems.join('; ') });
		}
		const isClientError =
			error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
		const message = error instanceof Error ? error.message : String(error);
		return reply.code(isClientError ? Number(error.statusCode) : 500).send({ error: message });
	});
	app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'No such route' }));
	addControlRoutes(app, service);
	addPage(app, service);
	return app;
}
