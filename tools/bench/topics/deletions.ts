import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { waitFor, type N8nExecutionSummary, type N8nNode } from '../../host';
import { DEFAULT_SWITCHES } from '../../service';
import { basicCredential, newApiKey, serviceCredential, type BenchHost } from '../n8n/benchHost';
import { chain, node, webhookNode } from '../n8n/workflows';

export type DeletionVariant = 'our node' | 'HTTP Request, batching' | 'HTTP Request, plain';

/** The result of one round of deletions. */
export interface DeletionSample {
	/** From the start of the first execution to the end of the last, according to n8n. */
	seconds: number;
	/** `refused` and `maxStartsInWindow` are the service's statistics. */
	refused: number;
	maxStartsInWindow: number;
	/** Webhooks that still exist. */
	left: number;
	failedExecutions: number;
}

const { rateLimitRequests, rateLimitWindowMs } = DEFAULT_SWITCHES;

/** The minimum time for this many requests within the rate limit, in seconds. */
export const idealSeconds = (requests: number): number =>
	((Math.ceil(requests / rateLimitRequests) - 1) * rateLimitWindowMs) / 1000;

async function deletingNode(
	host: BenchHost,
	variant: DeletionVariant,
	apiKey: string,
): Promise<N8nNode> {
	const name = 'Delete';
	if (variant === 'our node') {
		return node({
			name,
			type: 'n8n-nodes-outreach-service.outreachService',
			parameters: {
				resource: 'webhook',
				operation: 'delete',
				webhookId: { __rl: true, mode: 'id', value: '={{ $json.ids }}' },
			},
			credential: await serviceCredential(host, apiKey),
		});
	}
	const batch = { batchSize: rateLimitRequests, batchInterval: rateLimitWindowMs };
	return node({
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'DELETE',
			url: `=${host.service.baseUrl}/hooks/{{ $json.ids }}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpBasicAuth',
			options: variant === 'HTTP Request, batching' ? { batching: { batch } } : {},
		},
		credential: await basicCredential(host, apiKey),
	});
}

/** Deletes webhooks in concurrent executions with one key, in a real n8n. */
export async function runDeletions(
	host: BenchHost,
	variant: DeletionVariant,
	{ executions: count, deletions }: { executions: number; deletions: number },
): Promise<DeletionSample> {
	const { server, service } = host;
	const apiKey = newApiKey(service);
	const team = apiKey.replace('key', 'team');
	const path = randomUUID();
	const splitOut = node({
		name: 'Split Out',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.ids', options: { destinationFieldName: 'ids' } },
	});
	const { client } = server;
	const { id: workflowId } = await client.createWorkflow(
		chain(variant, [webhookNode(path), splitOut, await deletingNode(host, variant, apiKey)]),
	);
	await client.activateWorkflow(workflowId);

	const started = Array.from({ length: count }, async () => {
		const ids = Array.from(
			{ length: deletions },
			(_, index) => service.addHook({ targetUrl: `https://r.example/${index}`, team })._id,
		);
		await start(`${server.url}/webhook/${path}`, ids);
	});
	await Promise.all(started);
	const finished = await waitFor(
		`${count} executions to finish`,
		() => client.executions.list({ workflowId }),
		(list) => list.length === count && list.every(({ stoppedAt }) => typeof stoppedAt === 'string'),
		{ timeoutMs: idealSeconds(count * deletions) * 2_000 + 60_000, everyMs: 250 },
	);
	await client.deactivateWorkflow(workflowId);
	const { refused, maxStartsInWindow } = service.stats(apiKey);
	return {
		seconds: secondsOf(finished),
		refused,
		maxStartsInWindow,
		left: service.hooks(team).length,
		failedExecutions: finished.filter(({ status }) => status !== 'success').length,
	};
}

/** Retries, because n8n responds with 404 until the workflow is listening. */
async function start(url: string, ids: string[]): Promise<void> {
	await waitFor(
		'n8n to accept the webhooks to delete',
		async () => {
			const body = JSON.stringify({ ids });
			const headers = { 'content-type': 'application/json' };
			const response = await request(url, { method: 'POST', headers, body });
			await response.body.dump();
			return response.statusCode;
		},
		(status) => status === 200,
	);
}

function secondsOf(executions: readonly N8nExecutionSummary[]): number {
	const times = (field: 'startedAt' | 'stoppedAt') =>
		executions.map((execution) => Date.parse(execution[field] ?? ''));
	return (Math.max(...times('stoppedAt')) - Math.min(...times('startedAt'))) / 1000;
}
