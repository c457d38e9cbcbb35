/** What works on engine 2.0 of n8n. The world is a real n8n with the package, its database in PostgreSQL, and a local service. */
import { activateNewWorkflow, deactivate } from '../../tools/host/publishing';
import type { Client } from 'pg';
import { z } from 'zod';
import {
	freePort,
	itemsOf,
	startPostgres,
	waitFor,
	type N8nCredential,
	type N8nExecution,
	type N8nWorkflow,
	type Postgres,
} from '../../tools/host';
import {
	ACTION_NAME,
	actionNode,
	chain,
	createServiceCredential,
	TRIGGER_NAME,
	triggerNode,
} from '../../tools/host/workflows';
import { useOutreachHost } from './outreachHost';
import { post } from './runs';
import { CAN, testWhere } from './underTest';

let postgres: Postgres | undefined;
/** A connection to the database in which engine 2.0 keeps executions: n8n lists none of them. */
let database: Client;
let credential: N8nCredential;

const host = useOutreachHost(async () => {
	postgres = await startPostgres();
	return {
		env: {
			N8N_ENABLED_MODULES: 'engine-v2',
			N8N_ENGINE_DATABASE_URL: postgres.url,
			N8N_ENGINE_HOST: '127.0.0.1',
			N8N_ENGINE_PORT: String(await freePort()),
			N8N_ENGINE_CONTROL_PLANE_PORT: String(await freePort()),
		},
	};
});

beforeAll(async () => {
	if (postgres === undefined) throw new Error('PostgreSQL is not running');
	database = await postgres.connect();
	credential = await createServiceCredential(host());
});

afterAll(async () => {
	await database.end();
	await postgres?.stop();
});

const testOnEngine2 = testWhere(CAN.runEngine2, 'it has no engine 2.0');

const CREATED = 'https://crm.example.com/';

/** Activates a workflow for replies that runs in engine 2.0, and in which the action node creates a webhook for each lead. */
async function activeWorkflow(options = {}): Promise<N8nWorkflow> {
	const trigger = triggerNode(credential, { events: ['emailsReplied'], options });
	const action = actionNode(credential, {
		resource: 'webhook',
		operation: 'create',
		targetUrl: `=${CREATED}{{ $json.leadEmail }}`,
		event: 'emailsOpened',
	});
	const draft = { ...chain('Engine 2.0', [trigger, action]), settings: { engineType: 'v2' } };
	return await activateNewWorkflow(host(), draft);
}

/** Has the service deliver a reply. @returns the status of n8n's response */
async function reply(lead: string, fields: Record<string, unknown> = {}): Promise<unknown> {
	const [entry] = await host().service.emit({ type: 'emailsReplied', leadEmail: lead, ...fields });
	return entry?.status;
}

const rowsSchema = z.array(z.object({ id: z.string() }));

/** Waits until `count` executions of a workflow have ended. @returns them, oldest first, as n8n's REST API shows them */
async function endedExecutions({ id }: N8nWorkflow, count: number): Promise<N8nExecution[]> {
	const sql = `SELECT id FROM workflow_execution
		WHERE workflow_id = $1 AND status IN ('completed', 'failed') ORDER BY id`;
	const ended = await waitFor(
		`${count} ended executions of engine 2.0`,
		async () => rowsSchema.parse((await database.query(sql, [id])).rows),
		(rows) => rows.length >= count,
	);
	return Promise.all(ended.map((row) => host().server.client.executions.get(row.id)));
}

testOnEngine2(
	'On engine 2.0, an event runs the workflow once, and the action node gets it; a forged call and a duplicate start nothing',
	async () => {
		const workflow = await activeWorkflow();
		const { targetUrl } = host().service.hooks()[0]!;
		const forged = { type: 'emailsReplied', leadEmail: 'eve', secret: 'guess' };
		expect(await post(targetUrl, JSON.stringify(forged))).toBe(401);
		const activity = { _id: 'act_ada', unknownField: { kept: true } };
		for (let copies = 0; copies < 2; copies += 1) expect(await reply('ada', activity)).toBe(200);
		await reply('bob');
		const executions = await endedExecutions(workflow, 2);
		expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
		const items = executions.flatMap((one) => itemsOf(one, TRIGGER_NAME));
		expect(items).toMatchObject([{ leadEmail: 'ada', ...activity }, { leadEmail: 'bob' }]);
		expect(items[0]).not.toHaveProperty('secret');
		const webhook = host()
			.service.hooks()
			.find((one) => one.targetUrl === `${CREATED}ada`);
		expect(webhook?.type).toBe('emailsOpened');
		expect(itemsOf(executions[0]!, ACTION_NAME)).toMatchObject([{ _id: webhook?._id }]);
		const listed = await host().server.client.executions.list({ workflowId: workflow.id });
		expect(listed).toHaveLength(CAN.listEngine2 ? 2 : 0);
		await deactivate(host(), workflow.id);
	},
);

testOnEngine2(
	'On engine 2.0, a batch is one execution; if n8n could not store it, each event gets 500, and runs when it is delivered again',
	async () => {
		const batch = { values: { maxEvents: 3, maxSeconds: 8 } };
		const workflow = await activeWorkflow({ batch });
		const replyAll = async () =>
			await Promise.all(['ada', 'bob', 'cy'].map((lead) => reply(lead, { _id: `act_${lead}` })));
		await database.query('ALTER TABLE workflow_execution RENAME TO unavailable');
		expect(await replyAll()).toEqual([500, 500, 500]);
		await database.query('ALTER TABLE unavailable RENAME TO workflow_execution');
		expect(await replyAll()).toEqual([200, 200, 200]);
		const [execution] = await endedExecutions(workflow, 1);
		expect(itemsOf(execution!, ACTION_NAME)).toHaveLength(3);
	},
);
