import { join } from 'node:path';
import {
	buildPackage,
	freePort,
	installN8n,
	packPackage,
	startN8n,
	waitFor,
	type N8nServer,
} from '../host';
import { startService, type RunningService } from '../service';
import type { CleanUp } from './cleanUp';
import { checkExecutions, deliverActivities } from './deliveries';
import { print, step } from './print';
import { DEMO_EVENTS, demoWorkflow } from './workflow';

/** n8n's user folder, with its log, inside the demo's folder. */
export const N8N_FOLDER = 'n8n';

export interface Demo {
	server: N8nServer;
	service: RunningService;
	workflowId: string;
}

/** Ports people know or can remember; taken ones are replaced by free ones. */
const PREFERRED_PORTS = { n8n: 5678, service: 4010 };

/**
 * The whole way, with real parts: package, n8n, service, credential, workflow, events, executions.
 *
 * @param folder for the tarball and n8n's user folder
 * @param cleanUp gets what must be ended afterwards, also when this throws
 * @throws at the first step that fails, with its name
 */
export async function runDemo(folder: string, cleanUp: CleanUp): Promise<Demo> {
	await step('Building the package', buildPackage);
	const tarball = await step(
		'Packing it (npm pack)',
		() => packPackage(folder),
		({ path, files, size }) => `${path}: ${files.length} files, ${Math.round(size / 1000)} kB`,
	);
	const installation = await step(
		'Looking for the pinned n8n',
		() =>
			installN8n('n8n-2', (line) => {
				print(`  ${line}`);
			}),
		({ version, folder: where }) => `n8n ${version} in ${where}`,
	);
	const service = await step('Starting the local service', launchService, ({ baseUrl }) => baseUrl);
	cleanUp.add('stop the service', () => service.close());

	const userFolder = join(folder, N8N_FOLDER);
	const server = await step(
		'Starting n8n with the package installed',
		() =>
			startN8n({
				installation,
				tarball: tarball.path,
				userFolder,
				preferredPort: PREFERRED_PORTS.n8n,
			}),
		({ url, logFile }) => `${url}, log: ${logFile}`,
	);
	cleanUp.add('stop n8n', () => server.stop());

	try {
		return { server, service, workflowId: await showWorkflow(server, service) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`${reason}\nLog of n8n: ${server.logFile}`, { cause: error });
	}
}

async function launchService(): Promise<RunningService> {
	const port = await freePort(PREFERRED_PORTS.service);
	return startService({ port, controlPort: await freePort(port + 1), apiKeys: ['demo-key'] });
}

async function showWorkflow(server: N8nServer, service: RunningService): Promise<string> {
	const { client } = server;
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
	const workflow = await step('Creating the workflow', () =>
		client.createWorkflow(demoWorkflow(credential)),
	);
	await step(
		'Activating it, until the service lists a webhook for each event',
		async () => {
			await client.activateWorkflow(workflow.id);
			return waitFor(
				`webhooks for ${DEMO_EVENTS.join(', ')}`,
				() => service.hooks(),
				(hooks) => DEMO_EVENTS.every((event) => hooks.some(({ type }) => type === event)),
				{ timeoutMs: 60_000 },
			);
		},
		(hooks) => hooks.map(({ _id, type }) => `${type ?? 'all events'} ${_id}`).join(', '),
	);
	const delivered = await step('Having the service deliver three events', () =>
		deliverActivities(service),
	);
	await step('Waiting for the workflow to run with each of them', () =>
		checkExecutions(server, workflow.id, delivered),
	);
	return workflow.id;
}
