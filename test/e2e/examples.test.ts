/**
 * Each example runs to its end as imported, and does what its text says. The world is a real n8n with the package, a
 * local service, and a server that stands in for every chat and CRM.
 */
import { deactivate } from '../../tools/host/publishing';
import { randomUUID } from 'node:crypto';
import {
	itemsOf,
	waitFor,
	workflowDraftSchema,
	type N8nCredential,
	type N8nWorkflow,
} from '../../tools/host';
import { EXAMPLE_FILES, exampleText } from '../../tools/demo/examples';
import { importExample, isRunByHand, startReceiver } from './exampleWorkflows';
import { useOutreachHost } from './outreachHost';
import { CAN, testWhere } from './underTest';
import { createServiceCredential, waitForHookCount } from '../../tools/host/workflows';

const host = useOutreachHost();
const START = 'When clicking ‘Execute workflow’';

let credential: N8nCredential;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
	credential = await createServiceCredential(host());
	receiver = await startReceiver();
});

afterAll(() => receiver.close());

beforeEach(() => receiver.received.splice(0));

const importOne = (file: string): Promise<N8nWorkflow> =>
	importExample(host(), file, {
		receiver: receiver.url,
		credentials: { outreachServiceApi: credential },
	});

/** Activates an example with our trigger while `run` runs. */
async function whileActive(file: string, webhookCount: number, run: (id: string) => Promise<void>) {
	const { id } = await importOne(file);
	await host().server.client.activateWorkflow(id);
	try {
		await waitForHookCount(host(), webhookCount);
		await run(id);
	} finally {
		await deactivate(host(), id);
		await waitForHookCount(host(), 0);
	}
}

const testWithTables = testWhere(CAN.createTables, 'its Data Table node cannot create tables');

/** Waits for `count` executions, and expects them to succeed. */
async function finished(id: string, count: number) {
	const executions = await host().server.client.executions.waitForFinished(id, count);
	expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
	return executions;
}

async function runManually(id: string, start: string) {
	await host().server.client.runWorkflow(id, start);
	const [execution] = await finished(id, 1);
	return execution!;
}

const CREATES_TABLES = /"resource": "table"/;
for (const file of EXAMPLE_FILES.filter(isRunByHand)) {
	const testIt = CREATES_TABLES.test(exampleText(file)) ? testWithTables : test;
	testIt(`${file} runs to its end as imported, with the credential alone`, async () => {
		const { server, service } = host();
		const { id, nodes, connections } = await importExample(host(), file, {
			credentials: { outreachServiceApi: credential },
		});
		const followed = new Set(
			Object.values(connections).flatMap(({ main = [] }) =>
				main.flatMap((links) => (links ?? []).map(({ node }) => node)),
			),
		);
		const start = nodes.find(({ name }) => connections[name]?.main && !followed.has(name));
		const { waitingForWebhook } = await server.client.runWorkflow(id, start?.name ?? '');
		expect(waitingForWebhook).not.toBe(true);
		const [execution] = await finished(id, 1);
		const ran = Object.keys(execution!.data.resultData.runData);
		const stoppedEarly = ran.filter((name) => {
			const next = (connections[name]?.main ?? []).flatMap((links) => links ?? []);
			return next.length > 0 && !next.some(({ node }) => ran.includes(node));
		});
		expect([ran.length > 1, stoppedEarly]).toEqual([true, []]);
		expect(service.hooks()).toEqual([]);
	});
}

testWithTables(
	'a positive reply is sent to the chat, and its lead has a single row in the table',
	async () => {
		await whileActive('positive-reply.json', 1, async (id) => {
			const lead = { leadEmail: 'ada@example.com', leadFirstName: 'Ada', leadLastName: 'Lovelace' };
			await host().service.emit({ type: 'manualInterested', ...lead, campaignName: 'Autumn' });
			await finished(id, 1);
			await host().service.emit({ type: 'emailsInterested', ...lead, campaignName: 'Winter' });
			const [first, second] = await finished(id, 2);
			expect(receiver.received).toMatchObject([
				{
					path: '/incoming/sales',
					body: { text: 'A user marked Ada Lovelace as interested by hand (Autumn)' },
				},
				{ path: '/incoming/sales' },
			]);
			const [before] = itemsOf(first!, 'Keep the lead');
			expect(before).toMatchObject({
				email: 'ada@example.com',
				name: 'Ada Lovelace',
				campaign: 'Autumn',
			});
			expect(itemsOf(second!, 'Keep the lead')).toMatchObject([
				{ id: before?.id, campaign: 'Winter' },
			]);
		});
	},
);

testWithTables(
	'a bounce and an unsubscribe are added to the table and sent to the CRM',
	async () => {
		await whileActive('bounce-and-unsubscribe-clean-up.json', 2, async (id) => {
			await host().service.emit({ type: 'emailsBounced', leadEmail: 'gone@example.com' });
			await finished(id, 1);
			await host().service.emit({ type: 'emailsUnsubscribed', leadEmail: 'no@example.com' });
			const executions = await finished(id, 2);
			expect(executions.flatMap((one) => itemsOf(one, 'Keep the address'))).toMatchObject([
				{ email: 'gone@example.com', reason: 'bounced' },
				{ email: 'no@example.com', reason: 'unsubscribed' },
			]);
			expect(receiver.received).toEqual([
				{
					path: '/contacts/do-not-contact',
					body: { email: 'gone@example.com', reason: 'bounced' },
				},
				{
					path: '/contacts/do-not-contact',
					body: { email: 'no@example.com', reason: 'unsubscribed' },
				},
			]);
		});
	},
);

testWithTables(
	'opens and clicks are added to the table in batches, but for those of test campaigns',
	async () => {
		await whileActive('opens-and-clicks.json', 2, async (id) => {
			// The batch responds only when it starts.
			host().service.setSwitches({ deliveryTimeoutMs: 30_000 });
			const emails = (prefix: string) =>
				Array.from({ length: 5 }, (_, index) => `${prefix}-${index}@example.com`);
			const events = [
				...emails('open').map((leadEmail) => ({
					type: 'emailsOpened',
					sequenceStep: 1,
					leadEmail,
					campaignName: 'Autumn',
				})),
				...emails('click').map((leadEmail) => ({
					type: 'emailsClicked',
					sequenceStep: 2,
					leadEmail,
					campaignName: 'Winter',
				})),
				...emails('test').map((leadEmail) => ({
					type: 'emailsOpened',
					leadEmail,
					campaignName: 'A Test',
				})),
			];
			const outcomes = await host().service.emitMany(events);
			expect(outcomes).toEqual({ 200: events.length });
			const stored = emails('open').length + emails('click').length;
			const executions = await waitFor(
				`${stored} rows`,
				() => host().server.client.executions.waitForFinished(id, 1),
				(all) => all.flatMap((one) => itemsOf(one, 'Opened or clicked')).length >= stored,
			);
			expect(executions.length).toBeLessThan(stored);
			const rows = executions.flatMap((one) => itemsOf(one, 'Add the rows'));
			expect(rows.map(({ email, event, step }) => [email, event, step].join(' ')).sort()).toEqual([
				...emails('click').map((email) => `${email} clicked 2`),
				...emails('open').map((email) => `${email} opened 1`),
			]);
		});
	},
);

test('a third-party reply is escalated, and a reply of the lead is not', async () => {
	await whileActive('third-party-reply.json', 1, async (id) => {
		await host().service.emit({ type: 'emailsReplied' });
		await host().service.emit({
			type: 'emailsReplied',
			subject: 'Re: Hello',
			isThirdPartyReply: true,
		});
		await finished(id, 1);
		expect(receiver.received).toHaveLength(1);
		expect(receiver.received[0]?.body.text).toMatch(
			/^A third party replied to an email .*: Re: Hello\n.+Please take over\.$/,
		);
	});
});

test('replies go to Slack in a sentence, and those of a third party to a person', async () => {
	await whileActive('reply-to-slack.json', 4, async (id) => {
		const lead = { leadEmail: 'ada@example.com', leadFirstName: 'Ada', leadLastName: 'Lovelace' };
		const more = { campaignName: 'Autumn', sendUserName: 'Erin' };
		await host().service.emit({ type: 'smsReplied', ...lead, ...more });
		await finished(id, 1);
		await host().service.emit({
			type: 'emailsReplied',
			...lead,
			...more,
			subject: 'Re: Hello',
			isThirdPartyReply: true,
		});
		await finished(id, 2);
		expect(receiver.received).toEqual([
			{
				path: '/slack',
				body: {
					channel: '#sales-replies',
					text: 'Ada Lovelace replied to a text message\nCampaign: Autumn, sender: Erin',
				},
			},
			{
				path: '/slack',
				body: {
					channel: '#sales-takeover',
					text: 'A third party replied to an email – Ada Lovelace: Re: Hello\nCampaign: Autumn, sender: Erin',
				},
			},
		]);
	});
});

test('a changed people schema is reported once, and an unchanged one is not', async () => {
	const { id } = await importOne('people-schema-alert.json');
	await runManually(id, 'Every morning');
	expect(receiver.received).toEqual([]);
	host().service.addFault({ kind: 'status', status: 200, body: '{"full_name":"number"}' });
	await host().server.client.runWorkflow(id, 'Every morning');
	await finished(id, 2);
	expect(receiver.received).toHaveLength(1);
	expect(receiver.received[0]).toMatchObject({ path: '/incoming/data' });
	expect(receiver.received[0]?.body.text).toMatch(
		/^People schema: removed .+; type changed full_name$/,
	);
	// Each morning has the same difference.
	host().service.addFault({ kind: 'status', status: 200, body: '{"full_name":"number"}' });
	await host().server.client.runWorkflow(id, 'Every morning');
	await finished(id, 3);
	expect(receiver.received).toHaveLength(1);
});

test('the spring-cleaning lists webhooks whose URL is gone, and deletes them when it is told to', async () => {
	const gone = `${host().server.url}/webhook/${randomUUID()}/webhook?event=*`;
	const old = host().service.addHook({ targetUrl: gone });
	const other = host().service.addHook({ targetUrl: `${receiver.url}/in` });
	const { id, nodes } = await importOne('webhook-spring-cleaning.json');
	const first = await runManually(id, START);
	expect(itemsOf(first, 'What happened')).toMatchObject([
		{
			webhook: old._id,
			result: 'would be deleted',
			why: expect.stringMatching(/no webhook/) as string,
		},
	]);
	expect(itemsOf(first, 'Left alone')).toMatchObject([{ webhook: other._id }]);
	expect(host().service.hooks()).toHaveLength(2);

	const settings = JSON.stringify(nodes).replace(
		'"name":"deleteThem","value":false',
		'"name":"deleteThem","value":true',
	);
	const changed = workflowDraftSchema.shape.nodes.parse(JSON.parse(settings));
	await host().server.client.updateWorkflow(id, { nodes: changed });
	await host().server.client.runWorkflow(id, START);
	const [, deletion] = await finished(id, 2);
	expect(itemsOf(deletion!, 'What happened')).toMatchObject([
		{ webhook: old._id, result: 'deleted', why: expect.stringMatching(/no webhook/) as string },
	]);
	await waitFor(
		'one remaining webhook',
		() => host().service.hooks(),
		(webhooks) => webhooks.length === 1,
	);
	host().service.removeHook(other._id);
});

/** What real leads bring: no address, two notations of one, texts with a meaning elsewhere, and fields that are null. */
const HOSTILE = 'Ann "A" <!channel> {{ 1 }}\nSmith';
const SUBJECT = 'Re: "Hello" <!channel>\n*now*';
const LEADS = [
	{ leadId: 'lea_one', leadEmail: undefined, leadFirstName: HOSTILE },
	{ leadId: 'lea_two', leadEmail: null, leadFirstName: null, leadLastName: null },
	{ leadId: 'lea_three', leadEmail: '', campaignName: 'Latest launch' },
	{ leadId: 'lea_four', leadEmail: ' Ada@Example.COM ', leadFirstName: 'Ada' },
	{ leadId: undefined, leadEmail: 'ada@example.com', campaignName: null },
	{
		leadId: 'lea_five',
		leadEmail: 'eve@example.com',
		campaignName: 'A test',
		leadLastName: HOSTILE,
	},
];
const COMMON = { subject: SUBJECT, sequenceStep: null, sendUserName: null };
/** As many at once as may come: each lead's, and others. */
const atOnce = (type: string, more: object = {}) =>
	Array.from({ length: 20 }, (_, index) => ({
		type,
		...COMMON,
		leadId: `lea_burst_${index}`,
		leadEmail: `burst-${index}@example.com`,
		campaignName: 'Autumn',
		...more,
	}));

/** Sends one event for each lead, one after the other, then twenty at once. @returns how many */
async function sendReal(type: string, more: object = {}): Promise<number> {
	host().service.setSwitches({ deliveryTimeoutMs: 30_000 });
	for (const lead of LEADS) await host().service.emit({ type, ...COMMON, ...lead, ...more });
	const burst = atOnce(type, more);
	expect(await host().service.emitMany(burst)).toEqual({ 200: burst.length });
	return LEADS.length + burst.length;
}

/** The messages that the chat or the CRM got: nothing in them is a command, a missing value, or more than was meant. */
function expectHarmless(): void {
	for (const { body } of receiver.received) {
		const text = JSON.stringify(body);
		expect(text).not.toMatch(/undefined|null|<|\{\{|\[object/);
		const lines = typeof body.text === 'string' ? body.text.split('\n') : [];
		expect(lines.length).toBeLessThanOrEqual(2);
	}
}

/** The items of a node over all executions of a workflow. */
async function itemsIn(id: string, count: number, name: string) {
	return (await finished(id, count)).flatMap((one) => itemsOf(one, name));
}

describe('With leads as they are,', () => {
	testWithTables('a positive reply is a harmless message, and each lead has one row', async () => {
		await whileActive('positive-reply.json', 1, async (id) => {
			const count = await sendReal('manualInterested');
			const rows = await itemsIn(id, count, 'Keep the lead');
			expect(receiver.received).toHaveLength(count);
			expectHarmless();
			const ids = new Map(rows.map(({ lead, id: row }) => [lead, row]));
			// One for both notations of an address.
			expect(new Set(ids.values()).size).toBe(count - 1);
			expect([...ids.keys()]).toEqual(
				expect.arrayContaining(['lea_one', 'lea_two', 'lea_three', 'ada@example.com']),
			);
			expect(JSON.stringify(rows)).not.toMatch(/undefined/);
		});
	});

	testWithTables('the table of those not to contact has addresses, each once', async () => {
		await whileActive('bounce-and-unsubscribe-clean-up.json', 2, async (id) => {
			const count = await sendReal('emailsBounced');
			// Those without an address start nothing.
			const rows = await itemsIn(id, count - 3, 'Keep the address');
			const ids = new Map(rows.map(({ email, id: row }) => [email, row]));
			expect(rows.every(({ email }) => /^[^\sA-Z]+@[^\sA-Z]+$/.test(String(email)))).toBe(true);
			expect([ids.size, new Set(rows.map(({ id: row }) => row)).size]).toEqual([22, 22]);
			expect(receiver.received).toHaveLength(count - 3);
			expectHarmless();
		});
	});

	testWithTables(
		'each open has a row, but for those of a campaign with the word test',
		async () => {
			await whileActive('opens-and-clicks.json', 2, async (id) => {
				const count = await sendReal('emailsOpened');
				const executions = await waitFor(
					'the rows',
					() => host().server.client.executions.waitForFinished(id, 1),
					(all) => all.flatMap((one) => itemsOf(one, 'Opened or clicked')).length >= count - 1,
				);
				expect(executions.map(({ status }) => status)).not.toContain('error');
				const rows = executions.flatMap((one) => itemsOf(one, 'Add the rows'));
				expect(rows).toHaveLength(count - 1);
				expect(rows.map(({ campaign }) => campaign)).toContain('Latest launch');
				expect(rows.map(({ campaign }) => campaign)).not.toContain('A test');
				expect(JSON.stringify(rows)).not.toMatch(/undefined/);
			});
		},
	);

	test('replies are harmless messages in Slack', async () => {
		await whileActive('reply-to-slack.json', 4, async (id) => {
			const count = await sendReal('emailsReplied');
			await finished(id, count);
			expect(receiver.received).toHaveLength(count);
			expectHarmless();
		});
	});

	test('third-party replies are harmless messages', async () => {
		await whileActive('third-party-reply.json', 1, async (id) => {
			const count = await sendReal('emailsReplied', { isThirdPartyReply: true });
			await finished(id, count);
			expect(receiver.received).toHaveLength(count);
			expectHarmless();
		});
	});
});
