import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { inSqlite, readExecutions, type N8nNode, type OutreachHost } from '../host';
import { actionNode, chain, node, webhookNode } from '../host/workflows';
import { DEFAULT_SWITCHES } from '../service';
import { compare, type Scale } from './compare';
import { activateAt, httpRequestNode, newTeam } from './workflows';

type Team = Awaited<ReturnType<typeof newTeam>>;

const { rateLimitRequests, rateLimitWindowMs } = DEFAULT_SWITCHES;
/** How many executions delete at once, with one key. */
const EXECUTIONS = 3;

const ourNode = ({ credential }: Team): N8nNode =>
	actionNode(credential, {
		resource: 'webhook',
		operation: 'delete',
		webhookId: { __rl: true, mode: 'id', value: '={{ $json.ids }}' },
	});

/** As fast as the rate limit allows for one execution. */
const batchingNode =
	(baseUrl: string) =>
	({ basicAuth }: Team): N8nNode => {
		const batch = { batchSize: rateLimitRequests, batchInterval: rateLimitWindowMs };
		const url = `=${baseUrl}/hooks/{{ $json.ids }}`;
		return httpRequestNode(basicAuth, { method: 'DELETE', url, options: { batching: { batch } } });
	};

async function measure(
	host: OutreachHost,
	deletingNode: (team: Team) => N8nNode,
	deletions: number,
) {
	const { server, service } = host;
	const { client } = server;
	const team = await newTeam(host);
	const path = randomUUID();
	const splitOut = node('Split Out', 'n8n-nodes-base.splitOut', 1, {
		fieldToSplitOut: 'body.ids',
		options: { destinationFieldName: 'ids' },
	});
	const draft = chain('Deletions', [webhookNode(path), splitOut, deletingNode(team)]);
	const { workflowId, url } = await activateAt(host, path, draft);
	const start = async () => {
		const ids = Array.from(
			{ length: deletions },
			(_, index) =>
				service.addHook({ targetUrl: `https://r.example/${index}`, team: team.team })._id,
		);
		const headers = { 'content-type': 'application/json' };
		const { body } = await request(url, { method: 'POST', headers, body: JSON.stringify({ ids }) });
		await body.dump();
	};
	await Promise.all(Array.from({ length: EXECUTIONS }, start));
	await client.executions.untilIdle(workflowId);
	await client.deactivateWorkflow(workflowId);
	let [began, ended] = [Number.POSITIVE_INFINITY, 0];
	for await (const { createdAt, stoppedAt } of readExecutions(inSqlite(host), [workflowId])) {
		began = Math.min(began, createdAt);
		ended = Math.max(ended, stoppedAt ?? 0);
	}
	return {
		seconds: (ended - began) / 1000,
		'refused requests': service.refused.filter(({ apiKey }) => apiKey === team.apiKey).length,
		'not deleted': service.hooks(team.team).length,
	};
}

/** Our node and n8n's HTTP Request node with _Batching_, in three executions at once. */
export async function deletions(
	host: OutreachHost,
	{ rounds, ...scale }: Scale,
): Promise<string[]> {
	const variant = (name: string, deletingNode: (team: Team) => N8nNode) => ({
		name,
		measure: () => measure(host, deletingNode, scale.deletions),
	});
	const { problems } = await compare(
		`${EXECUTIONS} × ${scale.deletions} deletions`,
		[
			{ ...variant('our node', ourNode), atMost: { 'refused requests': 0, 'not deleted': 0 } },
			variant('HTTP Request, Batching', batchingNode(host.service.baseUrl)),
		],
		Math.ceil(rounds / 4),
	);
	return problems;
}
