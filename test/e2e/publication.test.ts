/**
 * A workflow with the trigger while n8n publishes a change and checks its webhooks; and where the key and the secrets are
 * not. The world is a real n8n with the package and a local service.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { databaseFile, waitFor, type N8nWorkflow } from '../../tools/host';
import { REMOVAL_GRACE_MS } from '../../tools/host/grace';
import { activate, deactivate } from '../../tools/host/publishing';
import { createServiceCredential, TRIGGER_NAME, triggerWorkflow } from '../../tools/host/workflows';
import { deriveSecret } from '../deriveSecret';
import { useOutreachHost } from './outreachHost';
import { activitiesOf, createWithCheckIn, deliverEach, FIVE, post, typesAt } from './runs';

const API_KEY = `recognizable-${randomUUID()}`;
const NEW_KEY = `recognizable-${randomUUID()}`;

const host = useOutreachHost({
	service: { apiKeys: [API_KEY] },
	// At this level n8n logs as much as it can.
	env: { N8N_LOG_LEVEL: 'debug' },
});

const hookIds = () =>
	host()
		.service.hooks()
		.map(({ _id }) => _id);

async function publish({ id }: N8nWorkflow): Promise<void> {
	expect(await activate(host(), id)).toMatchObject({ status: 'published' });
}

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
		// More at once would keep a busy machine from publishing.
		await sleep(100);
	}
	await over;
	return statuses;
}

test('A published change keeps what is still desired, creates what is new before anything is removed, and loses no accepted event', async () => {
	const { service, server } = host();
	const { client } = server;
	const credential = await createServiceCredential(host());
	const workflow = await client.createWorkflow(
		triggerWorkflow(credential, { events: ['emailsReplied', 'smsReplied'] }),
	);
	await publish(workflow);
	const kept = hookIds();
	const since = service.requests.length;
	const events = ['emailsReplied', 'networkReplied', 'smsReplied'];
	const nodes = workflow.nodes.map((node) =>
		node.name === TRIGGER_NAME ? { ...node, parameters: { events } } : node,
	);
	await client.updateWorkflow(workflow.id, { nodes });
	const statuses = await deliverDuring(publish(workflow));
	// Until after the time at which a removal would have begun.
	const after = await deliverDuring(sleep(REMOVAL_GRACE_MS + 1_000));
	const requests = service.requests.slice(since).map(({ method }) => method);
	expect(requests).toEqual(['GET', 'POST', 'GET']);
	expect(hookIds()).toEqual(expect.arrayContaining(kept));
	expect(typesAt(host())).toEqual(events);
	// n8n itself does not listen for a moment, and then responds with 404.
	expect(new Set(after)).toEqual(new Set([200]));
	expect(statuses.filter((status) => ![200, 404].includes(status ?? 0))).toEqual([]);
	const accepted = [...statuses, ...after].filter((status) => status === 200).length;
	expect(accepted).toBeGreaterThan(2);
	expect(await activitiesOf(host(), workflow, accepted)).toHaveLength(accepted);
	await deactivate(host(), workflow.id);
	expect(service.hooks()).toEqual([]);
});

test("The check of each minute replaces the webhooks of a key that has changed; and no key or secret is in n8n's database, its log, or the form of the credential", async () => {
	const { service, server } = host();
	const credential = await createServiceCredential(host());
	// Reports are executions of their own; here only those that events start count.
	const options = { repairMinutes: 1, reportProblems: false };
	const draft = triggerWorkflow(credential, { events: FIVE, options });
	const workflow = await createWithCheckIn(host(), 15, draft);
	await publish(workflow);
	const earlier = service.hooks();
	service.addApiKey(NEW_KEY);
	const { id, name, type } = credential;
	const data = { baseUrl: service.baseUrl, apiKey: NEW_KEY };
	await server.client.updateCredential(id, { name, type, data });
	await waitFor(
		'a webhook of the new key for each event',
		hookIds,
		(ids) => ids.length === FIVE.length && !earlier.some(({ _id }) => ids.includes(_id)),
		{ timeoutMs: 90_000 },
	);
	// The check itself never starts the workflow: each run is that of an event.
	const accepted = await deliverEach(host(), FIVE);
	const [webhook] = service.hooks();
	const { targetUrl = '' } = webhook ?? {};
	const secrets = [
		deriveSecret(NEW_KEY, targetUrl),
		...earlier.map((one) => deriveSecret(API_KEY, one.targetUrl)),
	];
	// Bodies that n8n itself rejects, or that lack the secret.
	for (const body of ['', '[]', '{', '"text"', 'null', 'a=b', JSON.stringify({ secret: 'guess' })])
		expect([401, 422]).toContain(await post(targetUrl, body));
	// That these are the values to look for: n8n accepts the secret, and removes it.
	const activity = { _id: 'act_by_hand', type: webhook?.type, unknownField: { kept: true } };
	expect(await post(targetUrl, JSON.stringify({ ...activity, secret: secrets[0] }))).toBe(200);
	const runs = await activitiesOf(host(), workflow, FIVE.length + 1);
	expect(runs.map(({ _id }) => _id).sort()).toEqual([...accepted, 'act_by_hand'].sort());
	expect(runs).toContainEqual(activity);

	const form = await server.client.read(`/credentials/${id}?includeData=true`);
	await deactivate(host(), workflow.id);
	expect(service.hooks()).toEqual([]);
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
