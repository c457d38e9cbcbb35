import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CleanUp } from '../terminal/cleanUp';
import {
	buildPackage,
	installN8n,
	packPackage,
	startN8n,
	type N8nCredential,
	type N8nNode,
	type N8nServer,
} from '../host';
import { startService, type RunningService } from '../service';

export interface Environment {
	server: N8nServer;
	service: RunningService;
	credential: N8nCredential;
}

/** Starts a real n8n with the package, and a local service with a few existing webhooks. */
export async function createEnvironment(cleanUp: CleanUp): Promise<Environment> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-screenshots-'));
	cleanUp.add('remove the files', () => rm(folder, { recursive: true, force: true }));
	await buildPackage();
	const { path: tarball } = await packPackage(folder);
	const installation = await installN8n('n8n-2');
	const service = await startService({ apiKeys: ['demo-key', { key: 'lost-team', team: null }] });
	cleanUp.add('stop the service', () => service.close());
	const server = await startN8n({ installation, tarball, userFolder: join(folder, 'n8n') });
	cleanUp.add('stop n8n', () => server.stop());
	const credential = await createCredential(server, 'Outreach Service account', {
		baseUrl: service.baseUrl,
		apiKey: service.apiKey,
	});
	addExistingWebhooks(service);
	return { server, service, credential };
}

export async function createCredential(
	{ client }: N8nServer,
	name: string,
	data: { baseUrl: string; apiKey: string },
): Promise<N8nCredential> {
	return client.createCredential({ name, type: 'outreachServiceApi', data });
}

function addExistingWebhooks(service: RunningService): void {
	const crm = { targetUrl: 'https://crm.example.com/hooks/outreach', type: 'emailsReplied' };
	const old = 'https://old-n8n.example.com/webhook/4f1c/webhook';
	service.addHook({ ...crm, campaignId: 'cam_8QkzT2' });
	service.addHook({ targetUrl: `${old}?event=warmed`, type: 'warmed' });
	service.addHook({ targetUrl: `${old}?event=emailsBounced`, type: 'emailsBounced' });
	service.addHook({ targetUrl: 'https://data.example.com/everything' });
}

export function triggerNode(
	{ id, name }: N8nCredential,
	parameters: Record<string, unknown>,
): N8nNode {
	return {
		id: randomUUID(),
		name: 'Outreach Service Trigger',
		type: 'n8n-nodes-outreach-service.outreachServiceTrigger',
		typeVersion: 1.1,
		position: [0, 0],
		parameters,
		credentials: { outreachServiceApi: { id, name } },
		webhookId: randomUUID(),
	};
}

export function actionNode(
	{ id, name }: N8nCredential,
	title: string,
	parameters: Record<string, unknown>,
): N8nNode {
	return {
		id: randomUUID(),
		name: title,
		type: 'n8n-nodes-outreach-service.outreachService',
		typeVersion: 1,
		position: [288, 0],
		parameters,
		credentials: { outreachServiceApi: { id, name } },
	};
}

export const START = 'When clicking ‘Execute workflow’';

/** The number of nodes in a row on the canvas. */
const ROW = 4;

/** Creates a workflow with a manual trigger, followed by rows of nodes. */
export async function createManualWorkflow(
	{ server }: Environment,
	name: string,
	nodes: N8nNode[],
): Promise<string> {
	const rows = Math.ceil(nodes.length / ROW);
	const start: N8nNode = {
		id: randomUUID(),
		name: START,
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 96 * (rows - 1)],
		parameters: {},
	};
	const to = (node: N8nNode) => ({ node: node.name, type: 'main', index: 0 });
	const positioned = nodes.map((node, index) => ({
		...node,
		position: [288 + 224 * (index % ROW), 192 * Math.floor(index / ROW)] as [number, number],
	}));
	const next = (index: number) => ((index + 1) % ROW === 0 ? undefined : nodes[index + 1]);
	const links = nodes.map((node, index) => {
		const follower = next(index);
		return [node.name, { main: [follower ? [to(follower)] : []] }] as const;
	});
	const firsts = nodes.filter((_, index) => index % ROW === 0);
	const { id } = await server.client.createWorkflow({
		name,
		nodes: [start, ...positioned],
		connections: { [START]: { main: [firsts.map(to)] }, ...Object.fromEntries(links) },
	});
	return id;
}
