import {
	freePort,
	installN8n,
	owner,
	type N8nCredential,
	type N8nInstallation,
	type N8nServer,
} from '../host';
import { startService, type RunningService } from '../service';
import type { CleanUp } from './program';
import { print, step } from './print';

/** Ports that people know or can remember; one that is taken is replaced by a free one. */
export const PREFERRED_PORTS = { n8n: 5678, service: 4010 };

export async function findN8n(): Promise<N8nInstallation> {
	return step(
		'Finding the pinned n8n',
		() =>
			installN8n('n8n-2', (line) => {
				print(`  ${line}`);
			}),
		({ version, folder }) => `n8n ${version} in ${folder}`,
	);
}

export async function launchService(cleanUp: CleanUp): Promise<RunningService> {
	const service = await step(
		'Starting the local service',
		async () => {
			const port = await freePort(PREFERRED_PORTS.service);
			return startService({ port, controlPort: await freePort(port + 1), apiKeys: ['demo-key'] });
		},
		({ baseUrl }) => baseUrl,
	);
	cleanUp.add('stop the service', () => service.close());
	return service;
}

/** Stores a credential for the local service in n8n, and tests it as the editor does. */
export async function connectService(
	{ client }: N8nServer,
	service: RunningService,
): Promise<N8nCredential> {
	const draft = {
		name: 'Local outreach service',
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: service.apiKey },
	};
	const credential = await step('Creating the credential', () => client.createCredential(draft));
	await step('Testing it', async () => {
		const { status, message } = await client.testCredential({ ...draft, id: credential.id });
		if (status !== 'OK') throw new Error(message);
	});
	return credential;
}

/** Carries out what needs a running n8n; an error also names n8n's log. */
export async function withLogOnFailure<Result>(
	{ logFile }: N8nServer,
	run: () => Promise<Result>,
): Promise<Result> {
	try {
		return await run();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`${reason}\nLog of n8n: ${logFile}`, { cause: error });
	}
}

/** Says where the editor is, how to sign in, and what else there is to see. */
export function explainHost(
	{ url, logFile }: N8nServer,
	service: RunningService,
	folder: string,
	{ editorPath = '', more = '' }: { editorPath?: string; more?: string } = {},
): void {
	print(`
  Editor     ${url}${editorPath}
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
  Files      ${folder} (removed at the end)
  Log        ${logFile}
  Stop       Ctrl-C ends n8n and the service.`);
}
