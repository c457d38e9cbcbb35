import { takeScreenshot } from './browser';
import type { Editor } from './editor';
import type { Environment } from './environment';

/** Creating the credential: empty, rejected with the reason, then accepted. */
export async function captureCredential(editor: Editor, { service }: Environment): Promise<void> {
	const { page } = editor;
	const field = (index: number) =>
		editor.byTestId('credential-connection-parameter').nth(index).locator('input').first();
	const save = () => editor.byTestId('credential-save-button').click();

	await editor.search('outreach');
	await editor.item('Outreach Service').click();
	await editor.item('On email reply received').click();
	await editor.byTestId('node-credentials-select').click();
	await editor.byTestId('node-credentials-select-item-new').click();
	await field(0).waitFor();
	await takeScreenshot(page, 'credential');

	await field(0).fill(service.baseUrl);
	await field(1).fill('not-the-key');
	await save();
	await page.getByText('More details').click();
	await editor.dismissMessages();
	await takeScreenshot(page, 'credential-refused');

	await field(1).fill(service.apiKey);
	await save();
	// n8n closes the dialog once the test has succeeded.
	await editor.byTestId('credential-edit-dialog').waitFor({ state: 'hidden' });
}
