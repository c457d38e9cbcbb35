import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { deriveSecret } from '../../../nodes/OutreachService/model/secret';
import { waitFor, type N8nWorkflowDraft } from '../../host';
import { newApiKey, serviceCredential, type BenchHost } from './benchHost';
import {
	bareTrigger,
	chain,
	noOperation,
	ourTrigger,
	removeDuplicates,
	secretCheck,
	webhookNode,
} from './workflows';

export type ContestantName = 'our trigger' | 'bare trigger' | 'Webhook node' | 'chain';

/** An active workflow that takes deliveries. */
export interface Contestant {
	name: ContestantName;
	workflowId: string;
	url: string;
	/** What a genuine delivery carries, whether or not the workflow looks. */
	secret: string;
}

/** Creates and activates one workflow of each kind; all end in a node that does nothing. */
export async function setUpContestants(
	host: BenchHost,
): Promise<Record<ContestantName, Contestant>> {
	return {
		'our trigger': await ours(host),
		'bare trigger': await listeningAt(host, 'bare trigger', (id) => ({
			path: `${id}/webhook`,
			draft: chain('Bare trigger', [bareTrigger(id), noOperation()]),
		})),
		'Webhook node': await listeningAt(host, 'Webhook node', (id) => ({
			path: id,
			draft: chain('Webhook node', [webhookNode(id), noOperation()]),
		})),
		// What a user builds today.
		chain: await listeningAt(host, 'chain', (id, secret) => ({
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

async function ours(host: BenchHost): Promise<Contestant> {
	const { server, service } = host;
	const apiKey = newApiKey(service);
	const before = new Set(service.hooks().map(({ _id }) => _id));
	const credential = await serviceCredential(host, apiKey);
	const draft = chain('Our trigger', [ourTrigger(credential, ['*']), noOperation()]);
	const { id: workflowId } = await server.client.createWorkflow(draft);
	await server.client.activateWorkflow(workflowId);
	const hook = await waitFor(
		'the trigger to register its webhook',
		() => service.hooks().find(({ _id }) => !before.has(_id)),
		(found) => found !== undefined,
	);
	const url = hook?.targetUrl ?? '';
	return { name: 'our trigger', workflowId, url, secret: deriveSecret(apiKey, url) };
}

async function listeningAt(
	{ server }: BenchHost,
	name: ContestantName,
	make: (id: string, secret: string) => { path: string; draft: N8nWorkflowDraft },
): Promise<Contestant> {
	const secret = randomUUID();
	const { path, draft } = make(randomUUID(), secret);
	const { id: workflowId } = await server.client.createWorkflow(draft);
	await server.client.activateWorkflow(workflowId);
	const url = `${server.url}/webhook/${path}`;
	await waitFor(
		`${name} to listen`,
		// n8n refuses GET at an address that listens for POST with another text than at one that is not there.
		async () => (await request(url, { method: 'GET' })).body.text(),
		(answer) => answer.includes('not registered for GET'),
	);
	return { name, workflowId, url, secret };
}
