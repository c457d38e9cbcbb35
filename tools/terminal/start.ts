import { freePort, owner, startOutreachHost, type N8nCredential, type OutreachHost } from '../host';
import { createServiceCredential } from '../host/workflows';
import { print, step, type Program } from '.';

/** Ports that people know or can remember; one that is taken is replaced by a free one. */
const PORTS = { n8n: 5678, service: 4010 };
const API_KEY = 'demo-key';

/**
 * Starts an n8n with the built package, and a local service.
 *
 * @param isKept whether a credential of an earlier run has the service's URL, so that its ports must be the same
 * @throws if a port that is needed is in use
 */
export async function startHostForPeople(
	{ folder, atEnd }: Pick<Program, 'folder' | 'atEnd'>,
	{ env = {}, isKept = false }: { env?: Record<string, string>; isKept?: boolean } = {},
): Promise<OutreachHost> {
	const host = await step(
		'Starting n8n with the package installed, and the local service',
		async () => {
			const port = isKept ? PORTS.service : await freePort(PORTS.service);
			const controlPort = isKept ? port + 1 : await freePort(port + 1);
			return await startOutreachHost({
				folder,
				// n8n's own default is New York.
				env: { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone, ...env },
				port: await freePort(PORTS.n8n),
				service: { port, controlPort, apiKeys: [API_KEY] },
			});
		},
		({ server, service }) => `${server.url} and ${service.baseUrl}`,
	);
	atEnd('stop n8n and the service', () => host.dispose());
	sayReplaced('n8n', PORTS.n8n, host.server.url);
	sayReplaced('the service', PORTS.service, host.service.baseUrl);
	return host;
}

function sayReplaced(what: string, preferred: number, url: string): void {
	const { port } = new URL(url);
	if (port === String(preferred)) return;
	print(`  Port ${preferred} is in use by another program, so ${what} listens on ${port}.`);
}

/** Creates a credential for the local service, which n8n has tested. */
export const createTestedCredential = ({ server, service }: OutreachHost): Promise<N8nCredential> =>
	step('Creating the credential, and testing it', async () => {
		const created = await createServiceCredential({ server, service });
		const { baseUrl, apiKey } = service;
		const tested = { ...created, data: { baseUrl, apiKey } };
		const { status, message } = await server.client.testCredential(tested);
		if (status !== 'OK') throw new Error(message);
		return created;
	});

/**
 * Says where the editor is, how to sign in, and what else there is to see.
 *
 * @param editorPath what the editor opens
 * @param more further lines, with the same indentation
 */
export function explainHost({ server, service }: OutreachHost, editorPath = '', more = ''): void {
	print(`
  Editor     ${server.url}${editorPath}
  Sign in    ${owner.email}
  Password   ${owner.password}

  Service    ${service.controlUrl} (its page: send events, see deliveries)
  For a credential of your own: Base URL ${service.baseUrl}, API Key ${service.apiKey}
${more}
  Log        ${server.logFile}
  Stop       Ctrl-C ends n8n and the service.`);
}
