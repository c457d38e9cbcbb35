import {
	N8nRequestError,
	waitFor,
	type N8nPublication,
	type N8nWorkflow,
	type OutreachHost,
	type WaitOptions,
} from '.';
import { TRIGGER_NAME } from './workflows';
import { logFromNow } from './logTail';

/** The outcome of an activation or a deactivation. */
export interface Outcome {
	status: N8nPublication['status'];
	/** What the editor tells about the workflow's triggers, if something went wrong. */
	errors: string[];
}

/** Waits until n8n is done with what it carries out after its answer, however it ended; the older way is done by then. */
export async function waitUntilSettled(
	{ server: { client } }: OutreachHost,
	workflowId: string,
	options?: WaitOptions,
): Promise<Outcome> {
	const { hasPublicationService } = await client.settings();
	if (!hasPublicationService) {
		const { active } = await client.getWorkflow(workflowId);
		return { status: active ? 'published' : 'not_published', errors: [] };
	}
	const { status, triggers } = await waitFor(
		`n8n to be done with workflow ${workflowId}`,
		() => client.publicationOf(workflowId),
		({ status }) => status !== 'in_progress',
		options,
	);
	const errors = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
	return { status, errors };
}

/** Activates the newest version of a workflow and waits until n8n is done with it. */
export async function activate(host: OutreachHost, workflowId: string): Promise<Outcome> {
	const { client } = host.server;
	try {
		await client.activateWorkflow(workflowId);
	} catch (error) {
		const isRefusal = error instanceof N8nRequestError && error.status === 400;
		if (!isRefusal || (await client.settings()).hasPublicationService) throw error;
		return { status: 'failed', errors: [error.reason] };
	}
	return waitUntilSettled(host, workflowId, { timeoutMs: 60_000 });
}

export async function deactivate(host: OutreachHost, workflowId: string): Promise<Outcome> {
	await host.server.client.deactivateWorkflow(workflowId);
	return waitUntilSettled(host, workflowId, { timeoutMs: 60_000 });
}

/** Changes the trigger of an active workflow, as somebody who edits and publishes it, and waits for the new version. */
export async function changeTrigger(
	host: OutreachHost,
	{ id }: N8nWorkflow,
	change: Partial<N8nWorkflow['nodes'][number]>,
): Promise<Outcome> {
	const { client } = host.server;
	const { nodes, connections, name } = await client.getWorkflow(id);
	const changed = nodes.map((node) => (node.name === TRIGGER_NAME ? { ...node, ...change } : node));
	await client.updateWorkflow(id, { name, nodes: changed, connections });
	return activate(host, id);
}

/**
 * Starts n8n again and waits until it has gone through its active workflows: it writes this line after that. With the
 * older registration it says that it is ready before.
 */
export async function restart(host: OutreachHost): Promise<void> {
	const log = await logFromNow(host);
	await host.server.restart();
	await waitFor(
		'n8n to have taken up its workflows',
		log,
		(text) => text.includes('Editor is now accessible via'),
		{ timeoutMs: 60_000 },
	);
}
