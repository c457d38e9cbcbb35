/**
 * What n8n makes of an execution that it was killed in, which docs/operations.md tells how to live with. The world is a
 * real n8n with the package and a local service.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { itemsOf, waitFor, type N8nWorkflow } from '../../../tools/host';
import { deactivate, restart } from '../../../tools/host/publishing';
import {
	activateNewWorkflow,
	createServiceCredential,
	NEXT_NODE,
	triggerWorkflow,
} from '../../../tools/host/workflows';
import { TEST_TIMEOUT_MS, useOutreachHost } from '../outreachHost';
import { MARK_AS_CRASHED } from './everyExecution';

const host = useOutreachHost({}, 2 * TEST_TIMEOUT_MS);

/** An active workflow whose second node takes ten seconds: longer than it takes to kill n8n. */
async function activateSlowWorkflow(): Promise<N8nWorkflow> {
	const draft = triggerWorkflow(await createServiceCredential(host()), { events: ['paused'] });
	const slow = { type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters: { amount: 10 } };
	const nodes = draft.nodes.map((node) => (node.name === NEXT_NODE ? { ...node, ...slow } : node));
	return await activateNewWorkflow(host(), { ...draft, nodes }, 1);
}

const eventLog = () => join(host().server.userFolder, '.n8n/n8nEventLog.log');

/**
 * Kills n8n and leaves its event log as if it had been killed between the start of an execution and that of its first
 * node. A thread writes that log, so this can also happen while a node runs: what the thread has not written is lost.
 */
async function killBeforeFirstNode(): Promise<void> {
	await waitFor(
		'n8n to log the start of the execution',
		() => readFile(eventLog(), 'utf8'),
		(text) => text.includes('"n8n.workflow.started"'),
	);
	await host().server.kill();
	const lines = (await readFile(eventLog(), 'utf8')).split('\n');
	await writeFile(eventLog(), lines.filter((line) => !line.includes('"n8n.node.')).join('\n'));
}

test('An execution in which n8n is killed before the first node stays Running, unless n8n is told to mark it as Crashed', async () => {
	const { server, service } = host();
	const { executions } = server.client;
	const workflow = await activateSlowWorkflow();
	const statuses = async () =>
		(await executions.list({ workflowId: workflow.id })).map(({ mode, status }) => [mode, status]);

	const outcomes = await service.emitMany([{ type: 'paused', _id: 'act_interrupted' }]);
	expect(outcomes).toEqual({ 200: 1 });
	await killBeforeFirstNode();
	await restart(host());
	expect(await statuses()).toEqual([['webhook', 'running']]);

	await server.restart(MARK_AS_CRASHED);
	expect(await statuses()).toEqual([['webhook', 'crashed']]);
	for (const { id } of await executions.list({ workflowId: workflow.id }))
		await executions.retry(id);
	const [, retry] = await executions.waitForFinished(workflow.id, 2);
	expect(retry).toMatchObject({ mode: 'retry', status: 'success' });
	expect(retry && itemsOf(retry, NEXT_NODE)).toMatchObject([{ _id: 'act_interrupted' }]);
	await deactivate(host(), workflow.id);
});
