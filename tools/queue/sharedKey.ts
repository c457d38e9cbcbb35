/** `npm run test:queue -- --bulk <n>`: what a person waits for while a worker deletes many webhooks with the same key. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor, type N8nCredential } from '../host';
import { actionNode, chain, openWebhookList, triggerNode, webhookNode } from '../host/workflows';
import type { RunningService } from '../service';
import { print, type printChecks } from '../terminal';
import type { Cluster } from './cluster';

/** How long a person waits, and how long until a check has restored a webhook: it runs each minute. In seconds. */
const PATIENCE = 12;
const CHECKED_WITHIN = 60 + PATIENCE;
const EVENTS = ['emailsReplied', 'emailsBounced', 'paused'];

async function secondsOf(task: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await task();
	return (performance.now() - began) / 1000;
}

/** Deletes in a worker, while main activates, publishes, tests the credential and opens a list. */
export async function checkSharedKey(
	{ main, webhookUrl }: Cluster,
	service: RunningService,
	credential: N8nCredential,
	deletions: number,
): Promise<Parameters<typeof printChecks>[0]> {
	const { client } = main;
	const ofWorkflow = () =>
		service.hooks().filter(({ targetUrl }) => targetUrl.startsWith(webhookUrl));
	for (let index = 0; index < deletions; index++) {
		service.addHook({ targetUrl: `https://old.example/${index}` });
	}
	const path = randomUUID();
	const filters = { targetUrl: 'old.example' };
	const remove = { resource: 'webhook', operation: 'deleteMany', filters, dryRun: false };
	const bulk = await client.createWorkflow(
		chain('Bulk', [webhookNode(path), actionNode(credential, remove)]),
	);
	await client.activateWorkflow(bulk.id);
	await waitFor(
		'the bulk action to begin',
		async () => (await fetch(`${webhookUrl}webhook/${path}`, { method: 'POST' })).ok,
		Boolean,
	);
	await waitFor(
		'webhooks to be deleted',
		() => service.hooks().length,
		(left) => left < deletions - 50,
	);

	const seconds = new Map<string, number>();
	const measure = async (name: string, task: () => Promise<unknown>): Promise<void> => {
		const took = await secondsOf(task);
		seconds.set(name, Math.max(took, seconds.get(name) ?? 0));
		print(`  ${name}: ${took.toFixed(1)} s`);
		await pause(2_000);
	};
	const until = async (count: number): Promise<void> => {
		await waitFor(
			`${count} webhooks of the trigger`,
			ofWorkflow,
			({ length }) => length === count,
			{ timeoutMs: 2 * CHECKED_WITHIN * 1_000 },
		);
	};
	for (let round = 0; round < 3; round++) {
		await measure('open a list in the editor', () => openWebhookList(client, credential));
		await measure('test the credential', async () => {
			const { name, id, type } = credential;
			const data = { baseUrl: service.baseUrl, apiKey: service.apiKey };
			const { status } = await client.testCredential({ id, name, type, data });
			if (status !== 'OK') throw new Error('The credential test failed');
		});
	}
	const trigger = (events: string[]) =>
		chain('Trigger', [triggerNode(credential, { events, options: { repairMinutes: 1 } })]);
	const draft = trigger(EVENTS);
	const workflow = await client.createWorkflow(draft);
	await measure('activate a trigger of three events', async () => {
		await client.activateWorkflow(workflow.id);
		await until(EVENTS.length);
	});
	const [node] = draft.nodes;
	const changed = { ...node!, parameters: { ...node!.parameters, events: [...EVENTS, 'smsSent'] } };
	await measure('publish it with one event more', async () => {
		await client.updateWorkflow(workflow.id, { nodes: [changed] });
		await client.activateWorkflow(workflow.id);
		await until(EVENTS.length + 1);
	});
	const [registered] = ofWorkflow();
	service.removeHook(registered?._id ?? '');
	await measure('restore a webhook (checked each minute)', async () => {
		await until(EVENTS.length + 1);
	});
	const isStillBusy = service.hooks().some(({ targetUrl }) => targetUrl.includes('old.example'));
	const { requests, refused } = service.stats();
	print(`  ${requests} requests, ${refused} refused`);
	await waitFor(
		'all webhooks to be deleted',
		() => service.hooks().filter(({ targetUrl }) => targetUrl.includes('old.example')).length,
		(left) => left === 0,
		{ timeoutMs: deletions * 1_000 + 60_000, everyMs: 1_000 },
	);
	const [execution] = await client.executions.waitForFinished(bulk.id, 1);
	await client.deactivateWorkflow(workflow.id);
	await until(0);
	return [
		{ what: 'the bulk action was still under way', holds: isStillBusy },
		{
			what: 'the bulk action deleted everything, and succeeded',
			holds: execution?.status === 'success',
		},
		...[...seconds].map(([name, took]) => ({
			what: `${name}: ${took.toFixed(1)} s`,
			holds: took < (name.startsWith('restore') ? CHECKED_WITHIN : PATIENCE),
		})),
	];
}
