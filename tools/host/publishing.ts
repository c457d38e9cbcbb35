import { isDeepStrictEqual } from 'node:util';
import { REMOVAL_GRACE_MS } from './grace';
import {
	N8nRequestError,
	type N8nClient,
	type N8nPublication,
	type N8nWorkflow,
	type N8nWorkflowDraft,
} from './client';
import type { OutreachHost } from './outreachHost';
import { logFromNow } from './process';
import { waitFor } from './waitFor';

interface WithClient {
	server: { client: N8nClient };
}

/** n8n retries a failing activation for about 15 seconds, and a slow one for longer. */
const SETTLE_MS = 150_000;

/**
 * Waits until n8n has carried out the last activation or deactivation, successfully or not. Without the publication
 * service, n8n has done so before it responds.
 *
 * n8n reads whether it is publishing, and the state of each trigger, in two queries. When it finishes between them, it
 * reports the outcome before this one. So two responses must agree.
 */
export async function waitUntilSettled(
	client: N8nClient,
	workflowId: string,
): Promise<N8nPublication> {
	const { hasPublicationService } = await client.settings();
	if (!hasPublicationService) {
		const { active } = await client.getWorkflow(workflowId);
		return { status: active ? 'published' : 'not_published', errors: [] };
	}
	let before: N8nPublication | undefined;
	return await waitFor(
		`n8n to finish publishing workflow ${workflowId}`,
		() => client.publicationOf(workflowId),
		(publication) => {
			const agrees = isDeepStrictEqual(publication, before);
			before = publication;
			return agrees && publication.status !== 'in_progress';
		},
		{ timeoutMs: SETTLE_MS },
	);
}

/** Activates the latest version of a workflow and waits for the outcome. */
export async function activate(
	{ server: { client } }: WithClient,
	workflowId: string,
): Promise<N8nPublication> {
	try {
		await client.activateWorkflow(workflowId);
	} catch (error) {
		const isRejection = error instanceof N8nRequestError && error.status === 400;
		if (!isRejection || (await client.settings()).hasPublicationService) throw error;
		return { status: 'failed', errors: [error.reason] };
	}
	return waitUntilSettled(client, workflowId);
}

/** Creates a workflow and activates it. @throws with n8n's errors unless it is live then */
export async function activateNewWorkflow(
	host: WithClient,
	draft: N8nWorkflowDraft,
): Promise<N8nWorkflow> {
	const workflow = await host.server.client.createWorkflow(draft);
	const { status, errors } = await activate(host, workflow.id);
	if (status === 'published') return workflow;
	throw new Error(`n8n did not activate ${draft.name}: ${errors.join(', ') || status}`);
}

/**
 * Deactivates a workflow and waits for the outcome, and until its triggers have removed their webhooks, which they do in
 * the background. Where the service refuses that, it gives up after some seconds.
 */
export async function deactivate(
	host: Pick<OutreachHost, 'server' | 'service'>,
	workflowId: string,
): Promise<N8nPublication> {
	const { client } = host.server;
	const { nodes } = await client.getWorkflow(workflowId);
	await client.deactivateWorkflow(workflowId);
	const outcome = await waitUntilSettled(client, workflowId);
	const paths = nodes.flatMap(({ webhookId }) => (webhookId ? [`/webhook/${webhookId}/`] : []));
	const left = () =>
		host.service.hooks().filter(({ targetUrl }) => paths.some((path) => targetUrl.includes(path)));
	await waitFor('the webhooks to be removed', left, ({ length }) => length === 0, {
		timeoutMs: REMOVAL_GRACE_MS + 8_000,
	}).catch(() => undefined);
	return outcome;
}

/**
 * Restarts n8n and waits for the line that it logs at the end of its start. Without the publication service, n8n has
 * activated its workflows then, and has reported before that it is ready. With it, it activates them in the background.
 */
export async function restart(host: OutreachHost): Promise<void> {
	const log = await logFromNow(host);
	await host.server.restart();
	await waitFor('n8n to start', log, (text) => text.includes('Editor is now accessible via'), {
		timeoutMs: 60_000,
	});
}
