/**
 * What the editor shows of the nodes, and the pictures of it in the documents. The world is a real n8n with the
 * package, a local service and a browser.
 */
import { activate, deactivate } from '../../tools/host/publishing';
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { demoWorkflow } from '../../tools/demo/workflow';
import { itemsOf, waitFor, type N8nCredential } from '../../tools/host';
import {
	ACTION_NAME,
	actionWorkflow,
	chain,
	createServiceCredential,
	node,
	TRIGGER_NAME,
	triggerWorkflow,
} from '../../tools/host/workflows';
import { pastedFrom } from '../unit/examples/recipes';
import { Editor, launchBrowser, newPage, takeScreenshot } from './editor';
import { TEST_TIMEOUT_MS, useOutreachHost } from './outreachHost';
import { createWithCheckIn } from './runs';

// The pictures of the documents show n8n 2.
const host = useOutreachHost({ n8n: 'n8n-2' });

let browser: Browser;
let page: Page;
let editor: Editor;
let credential: N8nCredential;

beforeAll(async () => {
	const { server } = host();
	credential = await createServiceCredential(host());
	browser = await launchBrowser();
	page = await newPage(browser);
	page.setDefaultTimeout(60_000);
	editor = new Editor(page, server.url);
	await editor.signIn();
}, TEST_TIMEOUT_MS);
afterAll(() => browser.close());

/** Creates a workflow and opens one of its nodes in the editor. */
async function openNode(draft: ReturnType<typeof triggerWorkflow>, name: string): Promise<void> {
	const { id } = await host().server.client.createWorkflow(draft);
	await editor.open(id);
	await editor.openNode(name);
}

const openTrigger = (parameters: Record<string, unknown>) =>
	openNode(triggerWorkflow(credential, parameters), TRIGGER_NAME);

const openAction = (parameters: Record<string, unknown>, chosen = credential) =>
	openNode(actionWorkflow(chosen, parameters), ACTION_NAME);

/** The value of a field with conditions, all of which must be true. */
const conditions = (
	given: Array<{ type?: string; left: string; operation: string; right?: string }>,
) => ({
	combinator: 'and',
	conditions: given.map(({ type = 'string', left, operation, right = '' }) => ({
		id: randomUUID(),
		leftValue: left,
		operator: { type, operation, singleValue: type === 'boolean' },
		rightValue: right,
	})),
	options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
});

test('the editor shows the workflow of the demo, in the dark, too', async () => {
	const { server } = host();
	const { id } = await server.client.createWorkflow(demoWorkflow(credential));
	await editor.open(id);
	await takeScreenshot(page, 'demo-workflow');
	const dark = await newPage(browser, { isDark: true });
	const darkEditor = new Editor(dark, server.url);
	await darkEditor.signIn();
	await darkEditor.open(id);
	await takeScreenshot(dark, 'demo-workflow-dark');
	await dark.close();
});

test('a report of a missing webhook is a failed execution among those of events, and reaches the chat by the recipe', async () => {
	const { server, service } = host();
	const { client } = server;
	const [isLost, text] = pastedFrom('After a report that events may be lost');
	const filter = node('Lost events', 'n8n-nodes-base.filter', 2.2, {
		conditions: conditions([{ operation: 'true', type: 'boolean', left: `=${isLost}` }]),
		options: {},
	});
	const message = { id: randomUUID(), name: 'text', value: `=${text}`, type: 'string' };
	const chat = node('Chat', 'n8n-nodes-base.set', 3.4, {
		assignments: { assignments: [message] },
		options: {},
	});
	const errorTrigger = node('Error Trigger', 'n8n-nodes-base.errorTrigger', 1);
	const errors = await client.createWorkflow(chain('Errors', [errorTrigger, filter, chat]));
	expect(await activate(host(), errors.id)).toMatchObject({ status: 'published' });

	const options = { repairMinutes: 1 };
	const draft = triggerWorkflow(credential, { events: ['emailsReplied'], options });
	const settings = { errorWorkflow: errors.id };
	const { id } = await createWithCheckIn(host(), 15, { ...draft, name: 'Replies', settings });
	expect(await activate(host(), id)).toMatchObject({ status: 'published' });
	const [hook] = service.hooks();
	for (const _id of ['act_1', 'act_2', 'act_3']) await service.emit({ type: 'emailsReplied', _id });
	await client.executions.waitForFinished(id, 3);
	service.removeHook(hook!._id);
	const waiting = { timeoutMs: 150_000 };
	const [report] = (await client.executions.waitForFinished(id, 4, waiting)).slice(-1);
	expect(report).toMatchObject({ status: 'error', mode: 'trigger' });
	const [run] = await client.executions.waitForFinished(errors.id, 1);
	expect(itemsOf(run!, 'Chat')[0]?.text).toMatch(
		/^Webhooks of "Outreach Service Trigger" were missing at the service, .+: Email: Reply Received\. .*Events that happened between .+ may be lost/s,
	);
	await page.goto(`${server.url}/workflow/${id}/executions/${report?.id ?? ''}`);
	await page.getByText('n8n has created them again').first().waitFor();
	await takeScreenshot(page, 'trigger-report');
	await deactivate(host(), id);
}, 240_000);

test('the canvas has a labelled output for each event and for everything else, and a sample at each', async () => {
	const events = ['emailsReplied', 'emailsBounced', 'interested', '*'];
	const options = { outputs: 'perEvent', testWith: 'sampleEvent' };
	const draft = triggerWorkflow(credential, { events, options });
	const [trigger, next] = draft.nodes;
	const branches = ['Answer', 'Clean up', 'Tell sales', 'Add to a table'].map((name, index) => ({
		...next!,
		id: randomUUID(),
		name,
		position: [320, index * 144 - 216] as [number, number],
	}));
	const main = branches.map(({ name }) => [{ node: name, type: 'main', index: 0 }]);
	const { id } = await host().server.client.createWorkflow({
		name: 'A branch for each event',
		nodes: [trigger!, ...branches],
		connections: { [TRIGGER_NAME]: { main } },
	});
	await editor.open(id);
	await editor.byTestId('execute-workflow-button').click();
	// On each connection to a branch, and at its end.
	await waitFor(
		'a sample in each branch',
		async () => await page.getByText('1 item', { exact: true }).count(),
		(count) => count === 2 * branches.length,
	);
	for (const label of ['Email reply', 'Bounced', 'Interested', 'Other events']) {
		await page.getByText(label, { exact: true }).waitFor();
	}
	await page.getByText('An Output for Each Event').waitFor();
	await editor.dismissMessages();
	await takeScreenshot(page, 'trigger-outputs');
});

test('a few letters find the events of a kind', async () => {
	await openTrigger({ events: ['emailsReplied'], options: {} });
	await editor.byTestId('parameter-input-events').locator('input').first().click();
	await page.keyboard.type('repl');
	await page.getByText('Email: Reply Received').last().waitFor();
	await takeScreenshot(page, 'trigger-events');
});

test('the editor shows the conditions and the limits of a batch', async () => {
	const options = {
		batch: { values: { maxEvents: 100, maxSeconds: 5 } },
		onlyWhen: conditions([
			{ left: 'campaignName', operation: 'startsWith', right: 'Spring' },
			{ left: 'sequenceStep', operation: 'notEquals', right: '0' },
		]),
	};
	await openTrigger({ events: ['emailsOpened', 'emailsClicked'], options });
	await page.setViewportSize({ width: 1200, height: 1080 });
	await takeScreenshot(page, 'trigger-conditions-and-batch');
	await page.setViewportSize({ width: 1200, height: 720 });
});

test('a test run with a sample shows its output in the editor', async () => {
	await openTrigger({
		events: ['emailsReplied'],
		options: { testWith: 'sampleEvent', output: 'grouped' },
	});
	await editor.byTestId('trigger-execute-button').click();
	await page.getByText('Node executed successfully').waitFor();
	await editor.dismissMessages();
	await editor.showOutputAs('JSON');
	await takeScreenshot(page, 'trigger-sample');
});

test('Delete Many shows what it would delete', async () => {
	const old = 'https://old-n8n.example.com/webhook/4f1c/webhook';
	for (const type of ['warmed', 'emailsBounced'])
		host().service.addHook({ targetUrl: `${old}?event=${type}`, type });
	await openAction({ operation: 'deleteMany', filters: { targetUrl: 'old-n8n.example.com' } });
	await editor.runNode();
	await takeScreenshot(page, 'action-delete-many-webhooks');
});

test('a wrong API key is an error with what to do', async () => {
	const { server, service } = host();
	const wrong = await server.client.createCredential({
		name: 'Wrong key',
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: 'not-the-key' },
	});
	await openAction({ operation: 'getAll' }, wrong);
	await editor.runNode('error');
	await takeScreenshot(page, 'error-wrong-key');
});
