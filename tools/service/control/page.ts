import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { EVENT_GROUPS } from '../model/eventNames';
import { FAULT_EXAMPLES, FAULT_TEXTS } from '../faults/faultTexts';
import type { LocalService } from '../localService';
import { SWITCHES } from '../switches';

const FOLDER = join(__dirname, '..', 'page');
const CONTENT_TYPES: Readonly<Record<string, string>> = {
	'.html': 'text/html; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
};
/** No external or inline scripts and styles, so the content of webhooks and events can't run as code. */
const CONTENT_SECURITY_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The control page: static files, and `GET /about` with the choices for its forms. */
export function addPage(app: FastifyInstance, service: LocalService): void {
	for (const name of readdirSync(FOLDER)) {
		const type = CONTENT_TYPES[extname(name)];
		if (type === undefined) continue;
		const content = readFileSync(join(FOLDER, name));
		app.get(name === 'index.html' ? '/' : `/${name}`, async (_request, reply) =>
			reply
				.type(type)
				.header('content-security-policy', CONTENT_SECURITY_POLICY)
				.header('x-content-type-options', 'nosniff')
				.header('cache-control', 'no-cache')
				.send(content),
		);
	}
	app.get('/about', async () => ({
		baseUrl: service.baseUrl,
		eventGroups: EVENT_GROUPS,
		switches: SWITCHES,
		faults: FAULT_EXAMPLES.map((example) => ({ example, text: FAULT_TEXTS[example.kind] })),
	}));
}
