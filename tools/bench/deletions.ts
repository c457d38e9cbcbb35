import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { waitFor, type N8nExecutionSummary, type N8nNode, type OutreachHost } from '../host';
import { actionNode, chain, node, using, webhookNode } from '../host/workflows';
import { DEFAULT_SWITCHES } from '../service';
import { count, figure, sideBySide, type Figure, type Scale, type Topic } from './figures';
import { activateAt, newTeam } from './workflows';

const OURS = 'our node';
const BATCHING = 'HTTP Request, batching';
const VARIANTS = [OURS, BATCHING] as const;
type Variant = (typeof VARIANTS)[number];

/** The result of one round. */
interface Sample {
	/** From the start of the first execution to the end of the last, according to n8n. */
	seconds: number;
	/** Requests that the service refused because of the limit, and the most within any window. */
	refused: number;
	maxInWindow: number;
	/** Webhooks that still exist. */
	left: number;
}

const { rateLimitRequests, rateLimitWindowMs } = DEFAULT_SWITCHES;

/** The minimum time for this many requests within the rate limit, in seconds. */
const idealSeconds = (requests: number): number =>
	((Math.ceil(requests / rateLimitRequests) - 1) * rateLimitWindowMs) / 1000;

/** The node that deletes, or undefined if the workflow has none. */
function deletingNode(
	{ service }: OutreachHost,
	variant: Variant,
	{ credential, basicAuth }: Awaited<ReturnType<typeof newTeam>>,
): N8nNode {
	if (variant === OURS) {
		const parameters = {
			resource: 'webhook',
			operation: 'delete',
			webhookId: { __rl: true, mode: 'id', value: '={{ $json.ids }}' },
		};
		return actionNode(credential, parameters);
	}
	const batch = { batchSize: rateLimitRequests, batchInterval: rateLimitWindowMs };
	return node(
		'Delete',
		'n8n-nodes-base.httpRequest',
		4.2,
		{
			method: 'DELETE',
			url: `=${service.baseUrl}/hooks/{{ $json.ids }}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpBasicAuth',
			options: { batching: { batch } },
		},
		using(basicAuth),
	);
}

/** Deletes webhooks in concurrent executions with one key. */
async function measure(
	host: OutreachHost,
	variant: Variant,
	executions: number,
	deletions: number,
): Promise<Sample> {
	const { server, service } = host;
	const { client } = server;
	const team = await newTeam(host);
	const path = randomUUID();
	const splitOut = node('Split Out', 'n8n-nodes-base.splitOut', 1, {
		fieldToSplitOut: 'body.ids',
		options: { destinationFieldName: 'ids' },
	});
	const nodes = [webhookNode(path), splitOut, deletingNode(host, variant, team)];
	const { workflowId, url } = await activateAt(host, path, chain(variant, nodes));
	const started = Array.from({ length: executions }, async () => {
		const ids = Array.from(
			{ length: deletions },
			(_, index) =>
				service.addHook({ targetUrl: `https://r.example/${index}`, team: team.team })._id,
		);
		const headers = { 'content-type': 'application/json' };
		const { body } = await request(url, { method: 'POST', headers, body: JSON.stringify({ ids }) });
		await body.dump();
	});
	await Promise.all(started);
	const finished = await waitFor(
		`${executions} executions to finish`,
		() => client.executions.list({ workflowId }),
		(list) =>
			list.length === executions && list.every(({ stoppedAt }) => typeof stoppedAt === 'string'),
		{ timeoutMs: idealSeconds(executions * deletions) * 2_000 + 60_000, everyMs: 250 },
	);
	await client.deactivateWorkflow(workflowId);
	const { refused, maxStartsInWindow } = service.stats(team.apiKey);
	const left = service.hooks(team.team).length;
	return { seconds: secondsOf(finished), refused, maxInWindow: maxStartsInWindow, left };
}

function secondsOf(executions: readonly N8nExecutionSummary[]): number {
	const times = (field: 'startedAt' | 'stoppedAt') =>
		executions.map((execution) => Date.parse(execution[field] ?? ''));
	return (Math.max(...times('stoppedAt')) - Math.min(...times('startedAt'))) / 1000;
}

/** Our node and n8n's HTTP Request node with _Batching_, in one execution and in three at once. */
export async function deletions(host: OutreachHost, { rounds, ...scale }: Scale): Promise<Topic[]> {
	const topics: Topic[] = [];
	// n8n loads a node's code on first use.
	for (const variant of VARIANTS) await measure(host, variant, 1, 5);
	for (const executions of [1, 3]) {
		const samples = await sideBySide(
			VARIANTS.map(
				(variant) => [variant, () => measure(host, variant, executions, scale.deletions)] as const,
			),
			Math.ceil(rounds / 4),
		);
		const ideal = idealSeconds(executions * scale.deletions);
		const figures = VARIANTS.flatMap((variant): Figure[] => {
			const all = samples(variant);
			const seconds = all.map((sample) => sample.seconds);
			const refused = all.map((sample) => sample.refused);
			const left = all.map((sample) => sample.left);
			const most = Math.max(...all.map(({ maxInWindow }) => maxInWindow));
			const limit = (atMost: number) => (variant === OURS ? atMost : undefined);
			return [
				figure(`${variant}: time`, 's', seconds),
				figure(
					`${variant}: time ÷ ideal ${ideal} s`,
					'×',
					seconds.map((one) => one / ideal),
				),
				count(`${variant}: refused`, 'requests', refused, limit(0)),
				figure(
					`${variant}: most in ${rateLimitWindowMs / 1000} s`,
					'requests',
					[most],
					limit(rateLimitRequests),
				),
				count(`${variant}: not deleted`, 'webhooks', left, limit(0)),
			];
		});
		const title = `${scale.deletions} deletions ${executions === 1 ? 'in one execution' : `in each of ${executions} executions at once`}`;
		topics.push({ title, figures });
	}
	return topics;
}
