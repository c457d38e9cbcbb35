import { take } from './browser';
import type { Editor } from './editor';
import { triggerNode, type World } from './world';

const OPTIONS = [
	'Campaign ID',
	'Custom Event Types',
	'First Activity Only',
	'Ignore Duplicates',
	'Output',
	'Repair Interval (Minutes)',
	'Subscription',
	'Third-Party Replies',
	'Verify Secret',
];

const EVENT = {
	type: 'emailsReplied',
	leadFirstName: 'Ada',
	leadLastName: 'Lovelace',
	leadEmail: 'ada@example.com',
	campaignName: 'Autumn outreach',
	subject: 'Re: A quick question',
};

/** Choosing events and options, waiting for a test event, and what comes of it. */
export async function pictureTrigger(editor: Editor, world: World): Promise<void> {
	const { page } = editor;
	const { id } = await world.server.client.createWorkflow({
		name: 'Trigger',
		nodes: [triggerNode(world.credential, { events: ['emailsReplied'], options: {} })],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	const events = editor.byTestId('parameter-input-events').locator('input').first();
	await events.click();
	await page.keyboard.type('repl');
	await take(page, 'trigger-events');
	await page.keyboard.press('Escape');
	await page.getByText('When will this node trigger my flow?').click();
	await take(page, 'trigger');
	await page.getByText('When will this node trigger my flow?').click();

	await editor.byTestId('trigger-execute-button').click();
	await page.getByText('Listening for test event').waitFor();
	await take(page, 'trigger-listening');
	await world.service.emit(EVENT);
	await page.getByText('Node executed successfully').waitFor();
	await editor.dismissMessages();
	await editor.showOutputAs('Table');
	await take(page, 'trigger-table');
	await editor.showOutputAs('JSON');
	// n8n explains pinning with a bubble over the output, once.
	await page.mouse.click(600, 560);
	await page.waitForTimeout(4_000);
	await take(page, 'trigger-json');

	for (const option of OPTIONS) await editor.addOption(option);
	await page.setViewportSize({ width: 1200, height: 1040 });
	await take(page, 'trigger-options');
	await page.setViewportSize({ width: 1200, height: 720 });
}
