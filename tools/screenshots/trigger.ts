import { randomUUID } from 'node:crypto';
import { takeScreenshot } from './browser';
import type { Editor } from './editor';
import { triggerNode, type Environment } from './environment';

const OPTIONS = [
	'Batch',
	'Campaign ID',
	'Custom Event Types',
	'Duplicate Memory',
	'First Activity Only',
	'Highlight Data',
	'Ignore Duplicates',
	'Only When',
	'Output',
	'Repair Interval (Minutes)',
	'Report Problems',
	'Subscription',
	'Test With',
	'Third-Party Replies',
	'Verify Secret',
];

/** A condition of *Only When* on a text, as the editor stores it. */
const condition = (leftValue: string, operation: string, rightValue: string) => ({
	id: randomUUID(),
	leftValue,
	operator: { type: 'string', operation },
	rightValue,
});

const FEWER_RUNS = {
	batch: { values: { maxEvents: 100, maxSeconds: 5 } },
	onlyWhen: {
		combinator: 'and',
		conditions: [
			condition('campaignName', 'startsWith', 'Spring'),
			condition('sequenceStep', 'notEquals', '0'),
		],
		options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
	},
};

const EVENT = {
	type: 'emailsReplied',
	leadFirstName: 'Ada',
	leadLastName: 'Lovelace',
	leadEmail: 'ada@example.com',
	campaignName: 'Autumn outreach',
	subject: 'Re: A quick question',
};

/** Choosing events and options, and listening for a test event. */
export async function captureTrigger(editor: Editor, environment: Environment): Promise<void> {
	const { page } = editor;
	const { id } = await environment.server.client.createWorkflow({
		name: 'Trigger',
		nodes: [triggerNode(environment.credential, { events: ['emailsReplied'], options: {} })],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	const events = editor.byTestId('parameter-input-events').locator('input').first();
	await events.click();
	await page.keyboard.type('repl');
	await takeScreenshot(page, 'trigger-events');
	await page.keyboard.press('Escape');
	await page.getByText('When will this node trigger my flow?').click();
	await takeScreenshot(page, 'trigger');
	await page.getByText('When will this node trigger my flow?').click();

	await editor.byTestId('trigger-execute-button').click();
	await page.getByText('Listening for test event').waitFor();
	await takeScreenshot(page, 'trigger-listening');
	await environment.service.emit(EVENT);
	await page.getByText('Node executed successfully').waitFor();
	await editor.dismissMessages();
	await editor.showOutputAs('Table');
	await takeScreenshot(page, 'trigger-table');
	await editor.showOutputAs('JSON');
	// Dismiss n8n's one-time hint about pinning, which covers the output.
	await page.mouse.click(600, 560);
	await page.waitForTimeout(4_000);
	await takeScreenshot(page, 'trigger-json');

	for (const option of OPTIONS) await editor.addOption(option);
	await page.setViewportSize({ width: 1200, height: 1720 });
	await takeScreenshot(page, 'trigger-options');
	await page.setViewportSize({ width: 1200, height: 720 });
	await captureFewerRuns(editor, environment);
	await captureSample(editor, environment);
}

/** A test run with a sample event. */
async function captureSample(editor: Editor, environment: Environment): Promise<void> {
	const { page } = editor;
	const options = { testWith: 'sampleEvent', output: 'grouped' };
	const { id } = await environment.server.client.createWorkflow({
		name: 'Sample',
		nodes: [triggerNode(environment.credential, { events: ['emailsReplied'], options })],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	await editor.byTestId('trigger-execute-button').click();
	await page.getByText('Node executed successfully').waitFor();
	await editor.dismissMessages();
	await editor.showOutputAs('JSON');
	await page.waitForTimeout(1_500);
	await takeScreenshot(page, 'trigger-sample');
}

/** The conditions and the limits of a batch. */
async function captureFewerRuns(editor: Editor, environment: Environment): Promise<void> {
	const { page } = editor;
	const events = ['emailsOpened', 'emailsClicked'];
	const { id } = await environment.server.client.createWorkflow({
		name: 'Fewer runs',
		nodes: [triggerNode(environment.credential, { events, options: FEWER_RUNS })],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	await page.setViewportSize({ width: 1200, height: 1080 });
	await takeScreenshot(page, 'trigger-conditions-and-batch');
	await page.setViewportSize({ width: 1200, height: 720 });
}
