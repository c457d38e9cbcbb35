import { join } from 'node:path';
import {
	buildPackage,
	packPackage,
	startN8n,
	waitFor,
	type N8nCredential,
	type N8nServer,
} from '../host';
import type { RunningService } from '../service';
import type { CleanUp } from '../terminal/program';
import { step } from '../terminal/print';
import { N8N_FOLDER } from '../terminal/program';
import {
	connectService,
	findN8n,
	launchService,
	PREFERRED_PORTS,
	withLogOnFailure,
} from '../terminal/start';
import { checkExecutions, deliverActivities } from './deliveries';
import { loadExamples, type LoadedExamples } from './examples';
import { DEMO_EVENTS, demoWorkflow } from './workflow';

export interface Demo {
	server: N8nServer;
	service: RunningService;
	workflowId: string;
	/** Of the local service. */
	credential: N8nCredential;
}

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
	const installation = await findN8n();
	const service = await launchService(cleanUp);

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

	return withLogOnFailure(server, async () => {
		const credential = await connectService(server, service);
		const workflowId = await showWorkflow(server, service, credential);
		return { server, service, workflowId, credential };
	});
}

async function showWorkflow(
	server: N8nServer,
	service: RunningService,
	credential: N8nCredential,
): Promise<string> {
	const { client } = server;
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

/** Loads the examples. */
export async function showExamples({ server, service, credential }: Demo): Promise<LoadedExamples> {
	return step(
		'Loading the examples',
		() => withLogOnFailure(server, () => loadExamples(server, service, credential)),
		({ count }) => `${count} workflows`,
	);
}
