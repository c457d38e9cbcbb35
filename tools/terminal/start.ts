import { freePort, owner, startOutreachHost, type N8nCredential, type OutreachHost } from '../host';
import { print, step, type Program } from '.';

/** Ports that people know or can remember; one that is taken is replaced by a free one. */
const PORTS = { n8n: 5678, service: 4010 };

/** Starts an n8n with the built package, and a local service with a credential for it, which n8n has tested. */
export async function startForPeople(
	{ folder, atEnd }: Program,
	env: Record<string, string> = {},
): Promise<{ host: OutreachHost; credential: N8nCredential }> {
	const host = await step(
		'Starting n8n with the package installed, and the local service',
		async () => {
			const port = await freePort(PORTS.service);
			const controlPort = await freePort(port + 1);
			return await startOutreachHost({
				...{ folder, env, preferredPort: PORTS.n8n },
				service: { port, controlPort, apiKeys: ['demo-key'] },
			});
		},
		({ server, service }) => `${server.url} and ${service.baseUrl}`,
	);
	atEnd('stop n8n and the service', () => host.dispose());
	const { server, service } = host;
	const draft = {
		name: 'Local outreach service',
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: service.apiKey },
	};
	const credential = await step('Creating the credential, and testing it', async () => {
		const created = await server.client.createCredential(draft);
		const { status, message } = await server.client.testCredential({ ...draft, id: created.id });
		if (status !== 'OK') throw new Error(message);
		return created;
	});
	return { host, credential };
}

/**
 * Says where the editor is, how to sign in, and what else there is to see.
 *
 * @param more further lines, with the same indentation
 */
export function explainHost({ server, service }: OutreachHost, editorPath = '', more = ''): void {
	print(`
  Editor     ${server.url}${editorPath}
  Sign in    ${owner.email}
  Password   ${owner.password}

  For a credential of your own:
  Base URL   ${service.baseUrl}
  API Key    ${service.apiKey}

  The service's own page, with its webhooks and deliveries:
             ${service.controlUrl}
  Send another event, from a second terminal:
             curl -X POST ${service.controlUrl}/events -H 'content-type: application/json' -d '{"type":"emailsReplied"}'
${more}
  Log        ${server.logFile} (removed at the end)
  Stop       Ctrl-C ends n8n and the service.`);
}
