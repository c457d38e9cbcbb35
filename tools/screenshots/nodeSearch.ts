import { takeScreenshot } from './browser';
import type { Editor } from './editor';

/** Terms that must find the nodes. */
export const SEARCH_TERMS = ['outreach', 'webhook', 'reply', 'campaign', 'lead'];

/**
 * The search for the nodes, and the list of their triggers and actions.
 *
 * @throws if a term does not find the nodes
 */
export async function captureSearch(editor: Editor): Promise<void> {
	for (const word of SEARCH_TERMS) {
		await editor.search(word);
		if ((await editor.item('Outreach Service').count()) === 0) {
			throw new Error(`'${word}' does not find the nodes`);
		}
		if (word === 'reply') await takeScreenshot(editor.page, 'search');
	}
	await editor.search('outreach');
	await editor.item('Outreach Service').click();
	await takeScreenshot(editor.page, 'list-of-triggers');
	await editor.page.getByText(/^Actions \(\d+\)$/).click();
	await editor.item('Rotate webhook secret').scrollIntoViewIfNeeded();
	await takeScreenshot(editor.page, 'list-of-actions');
}
