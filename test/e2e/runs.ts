/** Events that the local service delivers, and the executions that they start. */
import { randomUUID } from 'node:crypto';

import { secondOf } from '../../nodes/OutreachService/trigger/registration/checks';
import {
	inSqlite,
	itemsOf,
	readExecutions,
	waitFor,
	type Execution,
	type N8nWorkflow,
	type N8nWorkflowDraft,
} from '../../tools/host';
import { NEXT_NODE, TRIGGER_NAME } from '../../tools/host/workflows';
import type { Run } from '../../tools/load/judge';
import { runsAt } from '../../tools/load/runs';
import type { OutreachHost } from './outreachHost';

/** Events of different groups, none of which delivers the activities of another. */
export const FIVE = ['dialerEnded', 'emailsBounced', 'emailsReplied', 'paused', 'smsReplied'];

/** The types of all webhooks at the service in alphabetical order, `*` for all events. */
export function typesAt({ service }: Pick<OutreachHost, 'service'>): string[] {
	return service
		.hooks()
		.map(({ type }) => type ?? '*')
		.sort();
}

/** Waits until `count` executions have succeeded and none is in progress. @returns their activities, oldest first */
export async function activitiesOf(
	host: Pick<OutreachHost, 'installation' | 'server'>,
	workflow: Pick<N8nWorkflow, 'id'>,
	count: number,
): Promise<Array<Record<string, unknown>>> {
	const executions = await waitFor(
		`${count} successful executions of workflow ${workflow.id}`,
		() => storedExecutions(host, workflow),
		(seen) => seen.length >= count && seen.every(({ status }) => status === 'success'),
		{ everyMs: 300 },
	);
	return executions.flatMap((execution) => itemsOf(execution, TRIGGER_NAME));
}

/** Delivers one activity of each type. @returns an ID for each accepted delivery */
export async function deliverEach(
	{ service }: Pick<OutreachHost, 'service'>,
	types: readonly string[],
): Promise<string[]> {
	const accepted: string[] = [];
	for (const type of types) {
		const entries = await service.emit({ type });
		expect(entries.map(({ status, error }) => error ?? status)).toEqual(entries.map(() => 200));
		accepted.push(...entries.map(({ activityId }) => String(activityId)));
	}
	return accepted;
}

/** Sends a POST request to n8n, as any client can. @returns the status */
export async function post(url: string, body: string): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	const response = await fetch(url, { method: 'POST', headers, body });
	await response.text();
	return response.status;
}

/** All executions of a workflow once none is in progress, oldest first. */
export async function executionsOf(
	host: OutreachHost,
	workflow: Pick<N8nWorkflow, 'id'>,
): Promise<Execution[]> {
	await host.server.client.executions.untilIdle(workflow.id);
	return await storedExecutions(host, workflow);
}

/** All executions of a workflow in n8n's database, oldest first. */
async function storedExecutions(
	host: Pick<OutreachHost, 'installation' | 'server'>,
	{ id }: Pick<N8nWorkflow, 'id'>,
): Promise<Execution[]> {
	const executions: Execution[] = [];
	for await (const one of readExecutions(inSqlite(host), [id])) executions.push(one);
	return executions;
}

/** The runs of the node after the trigger. */
export const runsAfterTrigger = (executions: readonly Execution[]): Run[] =>
	executions.flatMap((execution) => runsAt(NEXT_NODE, execution));

/**
 * Creates a workflow whose trigger, the first node, checks its webhooks in this many seconds, and every minute from then
 * on. The second of a minute follows from the node's ID: with a random one, tests would wait for long.
 */
export async function createWithCheckIn(
	{ server: { client } }: Pick<OutreachHost, 'server'>,
	seconds: number,
	draft: N8nWorkflowDraft,
): Promise<N8nWorkflow> {
	const second = new Date(Date.now() + seconds * 1_000).getSeconds();
	const { id } = await client.createWorkflow(draft);
	let nodeId = randomUUID();
	while (secondOf(`${id}/${nodeId}`) !== second) nodeId = randomUUID();
	const nodes = draft.nodes.map((node, index) => (index === 0 ? { ...node, id: nodeId } : node));
	return await client.updateWorkflow(id, { ...draft, nodes });
}
