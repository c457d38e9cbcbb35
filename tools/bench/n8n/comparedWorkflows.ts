import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { deriveSecret } from '../../../nodes/OutreachService/model/secret';
import { waitFor, type N8nWorkflowDraft } from '../../host';
import { newApiKey, serviceCredential, type BenchHost } from './benchHost';
import { startMarketingService } from './marketingService';
import {
	bareTrigger,
	builtInTrigger,
	chain,
	noOperation,
	ourTrigger,
	removeDuplicates,
	secretCheck,
	webhookNode,
} from './workflows';

export type WorkflowName =
	| 'our trigger'
	| 'bare trigger'
	| 'built-in trigger'
	| 'Webhook node'
	| 'Webhook node, Header Auth'
	| 'chain';

/** An active workflow that receives deliveries. */
export interface ComparedWorkflow {
	workflowId: string;
	url: string;
	/** The secret of an authentic delivery, whether or not the workflow verifies it. */
	secret: string;
	/** Headers of an authentic delivery. */
	headers?: Record<string, string>;
}

/** Creates and activates one workflow of each kind, each ending in a No Operation node. */
export async function activateComparedWorkflows(
	host: BenchHost,
): Promise<Record<WorkflowName, ComparedWorkflow>> {
	return {
		'our trigger': await activateOurTrigger(host),
		'bare trigger': await listeningAt(host, (id) => ({
			path: `${id}/webhook`,
			draft: chain('Bare trigger', [bareTrigger(id), noOperation()]),
		})),
		'built-in trigger': await activateBuiltInTrigger(host),
		'Webhook node': await activateWebhookNode(host),
		'Webhook node, Header Auth': await activateWebhookNodeWithAuth(host),
		// What a user would build without our package.
		chain: await listeningAt(host, (id, secret) => ({
			path: id,
			draft: chain('Chain', [
				webhookNode(id),
				secretCheck(secret),
				removeDuplicates(),
				noOperation(),
			]),
		})),
	};
}

/** n8n's own trigger of a marketing service. It verifies nothing, and runs duplicates. */
async function activateBuiltInTrigger({ server }: BenchHost): Promise<ComparedWorkflow> {
	const service = await startMarketingService();
	try {
		const credential = await server.client.createCredential({
			name: 'Marketing service',
			type: 'activeCampaignApi',
			data: { apiUrl: service.url, apiKey: 'bench' },
		});
		const draft = chain('Built-in trigger', [builtInTrigger(credential), noOperation()]);
		const { id: workflowId } = await server.client.createWorkflow(draft);
		await server.client.activateWorkflow(workflowId);
		const url = await waitFor(
			'the built-in trigger to register its webhook',
			() => service.targetUrl(),
			(found) => found !== undefined,
		);
		return { workflowId, url: url ?? '', secret: randomUUID() };
	} finally {
		await service.close();
	}
}

/** n8n's Webhook node, which responds immediately. */
export const activateWebhookNode = (host: BenchHost): Promise<ComparedWorkflow> =>
	listeningAt(host, (id) => ({
		path: id,
		draft: chain('Webhook node', [webhookNode(id), noOperation()]),
	}));

/** n8n's Webhook node as a user would protect it: like our trigger, it needs a credential and refuses forged calls. */
async function activateWebhookNodeWithAuth(host: BenchHost): Promise<ComparedWorkflow> {
	const header = { name: 'x-webhook-secret', value: randomUUID() };
	const credential = await host.server.client.createCredential({
		name: 'Webhook secret',
		type: 'httpHeaderAuth',
		data: header,
	});
	const workflow = await listeningAt(host, (id) => ({
		path: id,
		draft: chain('Webhook node, Header Auth', [webhookNode(id, credential), noOperation()]),
	}));
	return { ...workflow, headers: { [header.name]: header.value } };
}

/** Our trigger for all events, with a team of its own. */
export async function activateOurTrigger(
	host: BenchHost,
	options: Record<string, unknown> = {},
): Promise<ComparedWorkflow> {
	const { server, service } = host;
	const apiKey = newApiKey(service);
	const before = new Set(service.hooks().map(({ _id }) => _id));
	const credential = await serviceCredential(host, apiKey);
	const draft = chain('Our trigger', [ourTrigger(credential, ['*'], options), noOperation()]);
	const { id: workflowId } = await server.client.createWorkflow(draft);
	await server.client.activateWorkflow(workflowId);
	const webhook = await waitFor(
		'the trigger to register its webhook',
		() => service.hooks().find(({ _id }) => !before.has(_id)),
		(found) => found !== undefined,
	);
	const url = webhook?.targetUrl ?? '';
	return { workflowId, url, secret: deriveSecret(apiKey, url) };
}

async function listeningAt(
	{ server }: BenchHost,
	make: (id: string, secret: string) => { path: string; draft: N8nWorkflowDraft },
): Promise<ComparedWorkflow> {
	const secret = randomUUID();
	const { path, draft } = make(randomUUID(), secret);
	const { id: workflowId } = await server.client.createWorkflow(draft);
	await server.client.activateWorkflow(workflowId);
	const url = `${server.url}/webhook/${path}`;
	await waitFor(
		`${draft.name} to listen`,
		// n8n rejects GET with a different text for a URL that accepts POST than for an unknown URL.
		async () => (await request(url, { method: 'GET' })).body.text(),
		(text) => text.includes('not registered for GET'),
	);
	return { workflowId, url, secret };
}
