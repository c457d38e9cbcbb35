import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { FAULT_EXAMPLES, FAULT_TEXTS } from '../faults/faultTexts';
import type { LocalService } from '../localService';
import { EVENT_GROUPS } from '../model/eventNames';
import { requestSummary } from './requestView';

const FILES = {
	'/': ['index.html', 'text/html; charset=utf-8'],
	'/page.css': ['page.css', 'text/css; charset=utf-8'],
	'/page.js': ['page.js', 'text/javascript; charset=utf-8'],
} as const;

/** No external or inline scripts and styles, so the content of webhooks and events can't run as code. */
const CONTENT_SECURITY_POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The newest entries of each list that the page shows. */
const MAX_LISTED = 100;

/** The control page: static files, `GET /about` with the choices for its forms, and `GET /state`, which it polls. */
export function addPage(app: FastifyInstance, service: LocalService): void {
	for (const [path, [name, type]] of Object.entries(FILES)) {
		const content = readFileSync(join(__dirname, '..', 'page', name));
		app.get(path, async (_request, reply) =>
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
		faults: FAULT_EXAMPLES.map((example) => ({ example, text: FAULT_TEXTS[example.kind] })),
	}));
	app.get('/state', async () => {
		const { keys, ledger, log } = service.parts;
		return {
			hooks: service.hooks().slice(-MAX_LISTED),
			ledger: ledger.entries(MAX_LISTED),
			requests: log.entries(MAX_LISTED).map(requestSummary(keys.texts())),
			faults: service.faults,
			switches: service.switches,
		};
	});
}
