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

/** Well-known or memorable ports; if one is in use, another free port replaces it. */
const PREFERRED_PORTS = { n8n: 5678, service: 4010 };

/**
 * Runs the demo from building the package to checking the executions.
 *
 * @param folder for the tarball and n8n's user folder
 * @param cleanUp receives the tasks to run afterwards, even if this throws
 * @throws if a step fails, with the name of the step
 */
export async function runDemo(folder: string, cleanUp: CleanUp): Promise<Demo> {
	await step('Building the package', buildPackage);
	const tarball = await step(
		'Packing the package (npm pack)',
		() => packPackage(folder),
		({ path, files, size }) => `${path}: ${files.length} files, ${Math.round(size / 1000)} kB`,
	);
	const installation = await step(
		'Installing the pinned n8n, unless it is cached',
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
		throw new Error(`${reason}\nn8n's log: ${server.logFile}`, { cause: error });
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
	await step('Testing the credential', async () => {
		const { status, message } = await client.testCredential({ ...draft, id: credential.id });
		if (status !== 'OK') throw new Error(message);
	});
	const workflow = await step('Creating the workflow', () =>
		client.createWorkflow(demoWorkflow(credential)),
	);
	await step(
		'Activating the workflow, and waiting for a webhook for each event',
		async () => {
			await client.activateWorkflow(workflow.id);
			return waitFor(
				`webhooks for ${DEMO_EVENTS.join(', ')}`,
				() => service.hooks(),
				(webhooks) => DEMO_EVENTS.every((event) => webhooks.some(({ type }) => type === event)),
				{ timeoutMs: 60_000 },
			);
		},
		(webhooks) => webhooks.map(({ _id, type }) => `${type ?? 'all events'} ${_id}`).join(', '),
	);
	const delivered = await step(`Delivering ${DEMO_EVENTS.length} events`, () =>
		deliverActivities(service),
	);
	await step('Waiting for an execution for each event', () =>
		checkExecutions(server, workflow.id, delivered),
	);
	return workflow.id;
}
