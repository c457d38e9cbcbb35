/**
 * A problem of an active workflow is in its list of executions and starts its error workflow. The world is a real n8n
 * with the package and a local service.
 */
import { deactivate } from '../../../tools/host/publishing';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

import { z } from 'zod';

import { secondOf } from '../../../nodes/OutreachService/trigger/registration/checks';
import {
	itemsOf,
	logFromNow,
	queryDatabase,
	waitFor,
	type N8nCredential,
	type N8nExecution,
	type N8nWorkflow,
	type N8nWorkflowDraft,
} from '../../../tools/host';
import { lockDatabase } from '../lockDatabase';
import { activate } from '../../../tools/host/publishing';
import { createServiceCredential, triggerWorkflow } from '../../../tools/host/workflows';
import { useOutreachHost } from '../outreachHost';
import { CAN, testWhere } from '../underTest';

/** Two checks, a minute apart. */
const TIMEOUT_MS = 240_000;

/** n8n caches for an hour at which URLs it listens: a lost one must show soon. */
const host = useOutreachHost({ env: { N8N_CACHE_MEMORY_TTL: '500' } }, TIMEOUT_MS);

const ERROR_TRIGGER = 'Error Trigger';

const errorWorkflow = (): N8nWorkflowDraft => ({
	name: `Errors ${randomUUID()}`,
	nodes: [
		{
			id: randomUUID(),
			name: ERROR_TRIGGER,
			type: 'n8n-nodes-base.errorTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
	],
	connections: {},
});

/** An active workflow with an error workflow of its own. Its trigger checks its webhooks each minute at a second. */
async function activeWorkflow(
	credential: N8nCredential,
	events: string[],
	second: number,
	chosen: 'before' | 'after' = 'before',
) {
	const { client } = host().server;
	const errors = await client.createWorkflow(errorWorkflow());
	if (CAN.saveFailedExecutions) await client.activateWorkflow(errors.id);
	const draft = triggerWorkflow(credential, { events, options: { repairMinutes: 1 } });
	const withErrors = { settings: { errorWorkflow: errors.id } };
	const settings = chosen === 'before' ? withErrors : {};
	const { id } = await client.createWorkflow({ ...draft, ...settings });
	let nodeId = randomUUID();
	while (secondOf(`${id}/${nodeId}`) !== second) nodeId = randomUUID();
	const nodes = draft.nodes.map((node, index) => (index === 0 ? { ...node, id: nodeId } : node));
	const workflow = await client.updateWorkflow(id, { ...draft, ...settings, nodes });
	expect(await activate(host(), id)).toMatchObject({ status: 'published' });
	if (chosen === 'after') await client.updateWorkflow(id, { ...draft, ...withErrors, nodes });
	return { workflow, errors };
}

/** The first item of the Error Trigger in each of its runs. */
async function reportsIn({ id }: N8nWorkflow, count: number): Promise<unknown[]> {
	const { executions } = host().server.client;
	const finished = await executions.waitForFinished(id, count, { timeoutMs: 150_000 });
	return finished.map((execution: N8nExecution) => itemsOf(execution, ERROR_TRIGGER)[0]);
}

const secondsFromNow = (seconds: number): number =>
	new Date(Date.now() + seconds * 1000).getSeconds() % 60;

async function executionsOf({ id }: N8nWorkflow) {
	return (await host().server.client.executions.list({ workflowId: id })).map(
		({ mode, status }) => ({ mode, status }),
	);
}

describe('A problem with the webhooks of an active workflow', () => {
	testWhere(CAN.saveFailedExecutions, 'it cannot save a failed execution')(
		'becomes one failed execution that starts the error workflow, which gets what happened and what to do',
		async () => {
			const second = secondsFromNow(15);
			const { server, service } = host();
			const credential = await createServiceCredential(host());
			const otherKey = `key-${randomUUID()}`;
			service.addApiKey(otherKey, 'other team');
			const otherCredential = await server.client.createCredential({
				name: 'Other team',
				type: 'outreachServiceApi',
				data: { baseUrl: service.baseUrl, apiKey: otherKey },
			});
			const lost = await activeWorkflow(credential, ['emailsReplied', 'smsReplied'], second);
			const revoked = await activeWorkflow(otherCredential, ['paused'], second);
			const late = await activeWorkflow(credential, ['dialerInterested'], second, 'after');

			service.removeHook(service.hooks().find(({ type }) => type === 'smsReplied')!._id);
			service.removeHook(service.hooks().find(({ type }) => type === 'dialerInterested')!._id);
			service.removeApiKey(otherKey);

			expect(await reportsIn(lost.errors, 1)).toEqual([
				expect.objectContaining({
					trigger: expect.objectContaining({
						error: expect.objectContaining({
							message: expect.stringMatching(
								/^Webhooks of ".+" were missing at the service, .+: SMS: Reply Received$/,
							) as string,
							description: expect.stringContaining('may be lost') as string,
						}) as object,
					}) as object,
					workflow: expect.objectContaining({ id: lost.workflow.id }) as object,
				}),
			]);
			expect(await reportsIn(revoked.errors, 1)).toEqual([
				expect.objectContaining({
					trigger: expect.objectContaining({
						error: expect.objectContaining({
							message: expect.stringMatching(
								/^The webhooks of ".+" cannot be checked or changed$/,
							) as string,
							description: expect.stringMatching(
								/^The service did not accept the API key\..+Copy the key/,
							) as string,
						}) as object,
					}) as object,
				}),
			]);
			const failed = [{ mode: 'trigger', status: 'error' }];
			expect(await executionsOf(lost.workflow)).toEqual(failed);
			expect(await executionsOf(revoked.workflow)).toEqual(failed);
			// n8n reads the settings when it registers the trigger: docs/trigger.md says what to do.
			expect(await executionsOf(late.workflow)).toEqual(failed);
			const started = CAN.applySettingsAtOnce ? [{ mode: 'error', status: 'success' }] : [];
			expect(await executionsOf(late.errors)).toEqual(started);
			expect(await readFile(host().server.logFile, 'utf8')).toContain(
				`/workflow/${revoked.workflow.id}`,
			);
			// Both are still active, and the workflow with its webhooks runs.
			await service.emit({ type: 'smsReplied' });
			await waitFor(
				'an execution of the restored webhook',
				() => executionsOf(lost.workflow),
				(executions) =>
					executions.some(({ mode, status }) => mode === 'webhook' && status === 'success'),
			);
		},
	);
});

describe('A listener that n8n has lost', () => {
	testWhere(CAN.saveFailedExecutions, 'it cannot save a failed execution')(
		'becomes one failed execution, and works again once the workflow is published again',
		async () => {
			const { installation, server, service } = host();
			const credential = await createServiceCredential(host());
			const { workflow, errors } = await activeWorkflow(credential, ['warmed'], secondsFromNow(15));
			const sql = 'DELETE FROM webhook_entity WHERE workflowId = ?';
			await queryDatabase(installation, server.userFolder, z.unknown(), sql, [workflow.id]);
			expect(await reportsIn(errors, 1)).toEqual([
				expect.objectContaining({
					trigger: expect.objectContaining({
						error: expect.objectContaining({
							message: expect.stringMatching(
								/^n8n no longer accepts the events of ".+": unpublish/,
							) as string,
						}) as object,
					}) as object,
				}),
			]);
			const [lost] = await service.emit({ type: 'warmed' });
			expect(lost).toMatchObject({ status: 404 });
			expect(await executionsOf(workflow)).toEqual([{ mode: 'trigger', status: 'error' }]);

			await deactivate(host(), workflow.id);
			expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
			const [delivered] = await service.emit({ type: 'warmed' });
			expect(delivered).toMatchObject({ status: 200 });
		},
	);
});

describe("A report while n8n's database takes no writes", () => {
	testWhere(CAN.saveFailedExecutions, 'it cannot save a failed execution')(
		'is logged with a link to the workflow, which stays active and is restored all the same',
		async () => {
			const { installation, server, service } = host();
			const credential = await createServiceCredential(host());
			const { workflow } = await activeWorkflow(credential, ['dialerEnded'], secondsFromNow(15));
			service.removeHook(service.hooks().find(({ type }) => type === 'dialerEnded')!._id);
			const log = await logFromNow(host());

			const unlock = await lockDatabase(installation, server.userFolder);
			await waitFor(
				'the report in the log, and n8n giving up on the execution',
				log,
				(text) => text.includes('Failed to record failed trigger execution'),
				{ timeoutMs: 120_000 },
			).finally(unlock);

			const text = await log();
			expect(text).toMatch(/missing at the service, and n8n has created them again/);
			expect(text).toContain(`/workflow/${workflow.id}`);
			expect(await executionsOf(workflow)).toEqual([]);
			await service.emit({ type: 'dialerEnded' });
			const [execution] = await server.client.executions.waitForFinished(workflow.id, 1);
			expect(execution).toMatchObject({ mode: 'webhook', status: 'success' });
		},
	);
});

/** A proxy that forwards every request to the local service, whatever host is asked for. @returns its URL */
async function startProxy(): Promise<{ url: string; close: () => void }> {
	const target = new URL(host().service.baseUrl);
	const server = createServer((incoming, outgoing) => {
		const { pathname, search } = new URL(incoming.url ?? '/', target);
		const { method, headers } = incoming;
		const forwarded = request(
			new URL(pathname + search, target),
			{ method, headers },
			(response) => {
				outgoing.writeHead(response.statusCode ?? 502, response.headers);
				response.pipe(outgoing);
			},
		);
		forwarded.on('error', () => outgoing.destroy());
		incoming.pipe(forwarded);
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

describe('An n8n that the service cannot reach', () => {
	test('rejects the activation of the workflow, and names WEBHOOK_URL', async () => {
		const { server, service } = host();
		const proxy = await startProxy();
		await server.restart({ HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1,localhost' });
		const credential = await server.client.createCredential({
			name: 'Elsewhere',
			type: 'outreachServiceApi',
			data: { baseUrl: 'http://api.outreach.example/api', apiKey: service.apiKey },
		});
		const draft = triggerWorkflow(credential, { events: ['emailsReplied'] });
		const { id } = await server.client.createWorkflow(draft);
		const [trigger] = draft.nodes;
		const { status, errors } = await activate(host(), id);
		proxy.close();
		expect([status, errors]).toEqual([
			'failed',
			[
				expect.stringMatching(
					/The service cannot reach this n8n at .+: set WEBHOOK_URL to its public URL/,
				),
			],
		]);
		// The restart may still be replacing those of other workflows.
		const path = `/${trigger?.webhookId ?? ''}/`;
		expect(service.hooks().filter(({ targetUrl }) => targetUrl.includes(path))).toEqual([]);
	});
});
