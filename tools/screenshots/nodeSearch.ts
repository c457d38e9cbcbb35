import { take } from './browser';
import type { Editor } from './editor';

/** What the nodes are about: each of these has to find them. */
export const WORDS = ['outreach', 'webhook', 'reply', 'campaign', 'lead'];

/** Finding the nodes, and what they offer. Throws when a word does not find them. */
export async function pictureSearch(editor: Editor): Promise<void> {
	for (const word of WORDS) {
		await editor.search(word);
		if ((await editor.item('Outreach Service').count()) === 0) {
			throw new Error(`'${word}' does not find the nodes`);
		}
		if (word === 'reply') await take(editor.page, 'search');
	}
	await editor.search('outreach');
	await editor.item('Outreach Service').click();
	await take(editor.page, 'list-of-triggers');
	await editor.page.getByText(/^Actions \(\d+\)$/).click();
	await editor.item('Rotate webhook secret').scrollIntoViewIfNeeded();
	await take(editor.page, 'list-of-actions');
}
