import type { Locator } from 'playwright-core';
import type { Editor } from './editor';
import { SEARCH_TERMS } from './nodeSearch';

/** Drags an entry of the nodes panel onto the canvas. */
async function dragOntoCanvas(editor: Editor, entry: Locator): Promise<void> {
	await entry.scrollIntoViewIfNeeded();
	await entry.dragTo(editor.byTestId('canvas'), { targetPosition: { x: 250, y: 450 } });
	await editor.byTestId('ndv').waitFor();
	await editor.closeNode();
}

async function expectNodes(editor: Editor, ...expected: string[]): Promise<void> {
	const names = await editor.nodeNames();
	if (names.join() !== expected.join()) {
		throw new Error(`The canvas shows ${names.join(', ')} instead of ${expected.join(', ')}`);
	}
}

/** Builds workflows with only mouse and keyboard, as a user does. */
export async function buildByHand(editor: Editor): Promise<void> {
	await editor.search('outreach');
	await editor.item('Outreach Service').click();
	await editor.item('On email reply received').click();
	await editor.byTestId('ndv').waitFor();
	await editor.closeNode();
	await expectNodes(editor, 'Outreach Service Trigger');

	for (const word of SEARCH_TERMS) {
		await editor.searchNext(word);
		if ((await editor.item('Outreach Service').count()) === 0) {
			throw new Error(`'${word}' does not find the nodes as a second step`);
		}
	}
	await editor.searchNext('outreach');
	await editor.item('Outreach Service').click();
	await dragOntoCanvas(editor, editor.item('Get many webhooks'));
	await expectNodes(editor, 'Get many webhooks', 'Outreach Service Trigger');

	await editor.search('outreach');
	await editor.item('Outreach Service').click();
	await dragOntoCanvas(editor, editor.item('On email bounced'));
	await expectNodes(editor, 'Outreach Service Trigger');
}
