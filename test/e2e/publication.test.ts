/**
 * A workflow with the trigger while n8n publishes it, publishes a change, checks its webhooks and unpublishes it; and where
 * the key and the secrets are not. The world is a real n8n with the package and a local service.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import {
	databaseFile,
	itemsOf,
	waitFor,
	type N8nCredential,
	type N8nWorkflow,
} from '../../tools/host';
import { REMOVAL_GRACE_MS } from '../../tools/host/grace';
import { activate, deactivate, type Outcome } from '../../tools/host/publishing';
import { createServiceCredential, TRIGGER_NAME, triggerWorkflow } from '../../tools/host/workflows';
import { deriveSecret } from '../../tools/load/deriveSecret';
import { DEFAULT_SWITCHES } from '../../tools/service';
import { useOutreachHost, useServiceCredential } from './outreachHost';
import { activitiesOf, createWithCheckIn, deliverEach, FIVE, hookOf, post, typesAt } from './runs';

const API_KEY = `recognizable-${randomUUID()}`;
const NEW_KEY = `recognizable-${randomUUID()}`;

const host = useOutreachHost({
	service: { apiKeys: [API_KEY] },
	// At this level n8n logs as much as it can.
	env: { N8N_LOG_LEVEL: 'debug' },
});
const credential = useServiceCredential(host);

const TWO = ['emailsReplied', 'smsReplied'];

const create = (parameters: object): Promise<N8nWorkflow> =>
	host().server.client.createWorkflow(triggerWorkflow(credential(), { ...parameters }));

async function publish(workflow: N8nWorkflow): Promise<void> {
	expect(await activate(host(), workflow.id)).toMatchObject({ status: 'published' });
}

/** Changes the parameters of an active workflow's trigger, and publishes the new version. */
async function publishChange({ id }: N8nWorkflow, parameters: object): Promise<Outcome> {
	const { client } = host().server;
	const { nodes, connections, name } = await client.getWorkflow(id);
	const changed = nodes.map((node) =>
		node.name === TRIGGER_NAME ? { ...node, parameters: { ...parameters } } : node,
	);
	await client.updateWorkflow(id, { name, nodes: changed, connections });
	return activate(host(), id);
}

const hookIds = () =>
	host()
		.service.hooks()
		.map(({ _id }) => _id);

afterEach(() => {
	host().service.clearFaults();
	host().service.setSwitches(DEFAULT_SWITCHES);
});

test('An event runs the workflow once, as its only item and without the secret, until the workflow is unpublished', async () => {
	const { service, server } = host();
	const draft = triggerWorkflow(credential(), { events: FIVE });
	// As people write it by hand.
	const nodes = draft.nodes.map((node) => ({ ...node, typeVersion: 1 }));
	const workflow = await server.client.createWorkflow({ ...draft, nodes });
	await publish(workflow);
	const more = { leadEmail: 'ada@example.com', unknownField: { kept: true } };
	const [entry] = await service.emit({ type: 'emailsReplied', ...more });
	expect(entry).toMatchObject({ status: 200 });
	const [execution, ...others] = await server.client.executions.waitForFinished(workflow.id, 1);
	expect([execution?.status, execution?.mode, others]).toEqual(['success', 'webhook', []]);
	const items = itemsOf(execution!, TRIGGER_NAME);
	const activity = { _id: entry?.activityId, type: 'emailsReplied', ...more };
	expect(items).toEqual([expect.objectContaining(activity)]);
	expect(items[0]).not.toHaveProperty('secret');

	expect(await deactivate(host(), workflow.id)).toMatchObject({ status: 'not_published' });
	expect(service.hooks()).toEqual([]);
	expect(await service.emit({ type: 'emailsReplied' })).toEqual([]);
});

describe('A published change', () => {
	const THREE = ['emailsReplied', 'networkReplied', 'smsReplied'];
	/** After this time, a removal would have begun, in milliseconds. */
	const REMOVAL_BEGUN_MS = REMOVAL_GRACE_MS + 1_000;
	/** Between two events. More at once would keep a busy machine from publishing. */
	const PAUSE_MS = 100;

	let workflow: N8nWorkflow;
	beforeEach(async () => {
		workflow = await create({ events: TWO });
		await publish(workflow);
	});
	afterEach(async () => {
		await deactivate(host(), workflow.id);
		expect(host().service.hooks()).toEqual([]);
	});

	/** Sends one event after the other until something is done. @returns the status of each */
	async function deliverDuring(done: Promise<unknown>): Promise<Array<number | undefined>> {
		const state = { isOver: false };
		const over = done.finally(() => {
			state.isOver = true;
		});
		const statuses: Array<number | undefined> = [];
		while (!state.isOver) {
			const entries = await host().service.emit({ type: 'emailsReplied' });
			statuses.push(...entries.map(({ status }) => status));
			await sleep(PAUSE_MS);
		}
		await over;
		return statuses;
	}

	test('keeps what is still desired, creates what is new before anything is removed, and loses no accepted event', async () => {
		const { service } = host();
		const kept = hookIds();
		const since = service.requests.length;
		const statuses = await deliverDuring(publishChange(workflow, { events: THREE }));
		const after = await deliverDuring(sleep(REMOVAL_BEGUN_MS));
		const requests = service.requests.slice(since).map(({ method }) => method);
		expect(requests).toEqual(['GET', 'POST', 'GET']);
		expect(hookIds()).toEqual(expect.arrayContaining(kept));
		expect(typesAt(host())).toEqual(THREE);
		// n8n itself does not listen for a moment, and then responds with 404.
		expect(new Set(after)).toEqual(new Set([200]));
		expect(statuses.filter((status) => ![200, 404].includes(status ?? 0))).toEqual([]);
		const accepted = [...statuses, ...after].filter((status) => status === 200).length;
		expect(accepted).toBeGreaterThan(10);
		expect(await activitiesOf(host(), workflow, accepted)).toHaveLength(accepted);
	});
});

/** Publishes a workflow that checks its webhooks soon, and every minute from then on. */
async function publishWithCheck(used: N8nCredential): Promise<N8nWorkflow> {
	// Reports are executions of their own; here only those that events start count.
	const options = { repairMinutes: 1, reportProblems: false };
	const draft = triggerWorkflow(used, { events: FIVE, options });
	const workflow = await createWithCheckIn(host(), 15, draft);
	await publish(workflow);
	return workflow;
}

test("The check of each minute restores a workflow's webhooks, and replaces those of a credential that got another key", async () => {
	const { service, server } = host();
	const changing = await createServiceCredential(host());
	const harmed = await publishWithCheck(credential());
	const rekeyed = await publishWithCheck(changing);
	const untouched = hookOf(host(), 'smsReplied', harmed);
	const before = new Set(FIVE.map((event) => hookOf(host(), event, rekeyed)));
	service.removeHook(hookOf(host(), 'emailsReplied', harmed) ?? '');
	service.disableHook(hookOf(host(), 'paused', harmed) ?? '');
	service.addApiKey(NEW_KEY);
	const { id, name, type } = changing;
	const data = { baseUrl: service.baseUrl, apiKey: NEW_KEY };
	await server.client.updateCredential(id, { name, type, data });
	await waitFor(
		'a working webhook for each event of both',
		() => service.hooks(),
		(hooks) =>
			hooks.length === 2 * FIVE.length &&
			hooks.every(({ _id, disabled }) => !disabled && !before.has(_id)),
		{ timeoutMs: 90_000 },
	);
	expect(hookOf(host(), 'smsReplied', harmed)).toBe(untouched);
	// The check itself never starts the workflow: each run is that of an event.
	const accepted = await deliverEach(host(), FIVE);
	expect(accepted).toHaveLength(2 * FIVE.length);
	for (const workflow of [harmed, rekeyed]) {
		const runs = await activitiesOf(host(), workflow, FIVE.length);
		expect(runs.map(({ type: event }) => event).sort()).toEqual(FIVE);
		await deactivate(host(), workflow.id);
	}
	expect(service.hooks()).toEqual([]);
});

test('The credential test of n8n accepts the key, and no other', async () => {
	const { server, service } = host();
	const resultFor = async (apiKey: string) => {
		const data = { baseUrl: service.baseUrl, apiKey };
		const draft = { name: 'Service', type: 'outreachServiceApi', data };
		const { id } = await server.client.createCredential(draft);
		return (await server.client.testCredential({ ...draft, id })).status;
	};
	expect([await resultFor(API_KEY), await resultFor('wrong')]).toEqual(['OK', 'Error']);
});

// After all that could have left them somewhere: failures, changes, checks and deliveries.
test("The API keys and the secrets of webhooks are nowhere in n8n's database, its log, or the form of the credential", async () => {
	const { server, service } = host();
	const workflow = await create({ events: TWO });
	await publish(workflow);
	const [webhook] = service.hooks();
	const { targetUrl = '' } = webhook ?? {};
	const secrets = [API_KEY, NEW_KEY].map((key) => deriveSecret(key, targetUrl));
	expect(await post(targetUrl, JSON.stringify({ secret: 'guess' }))).toBe(401);
	// That these are the values to look for: n8n accepts the secret, and removes it.
	const activity = { _id: 'act_by_hand', type: webhook?.type };
	expect(await post(targetUrl, JSON.stringify({ ...activity, secret: secrets[0] }))).toBe(200);
	expect(await activitiesOf(host(), workflow, 1)).toEqual([activity]);

	const form = await server.client.read(`/credentials/${credential().id}?includeData=true`);
	await deactivate(host(), workflow.id);
	await server.stop();
	const database = databaseFile(server.userFolder);
	const texts = {
		database: await readFile(database, 'latin1'),
		unmergedDatabase: await readFile(`${database}-wal`, 'latin1').catch(() => ''),
		log: await readFile(server.logFile, 'utf8'),
		form: JSON.stringify(form),
	};
	expect(texts.database + texts.unmergedDatabase).toContain('act_by_hand');
	expect(texts.log).toContain(workflow.id);
	expect(texts.form).toContain(service.baseUrl);
	const encoded = [API_KEY, NEW_KEY].map((key) => Buffer.from(`:${key}`).toString('base64'));
	for (const [place, text] of Object.entries(texts))
		for (const value of [API_KEY, NEW_KEY, ...encoded, ...secrets])
			expect([place, value, text.includes(value)]).toEqual([place, value, false]);
});
