/**
 * The examples on the canvas of the editor: nothing covers anything else. The world is a real n8n with the package, a
 * local service and a browser.
 */
import type { Browser, Page } from 'playwright-core';
import { EXAMPLE_FILES } from '../../tools/demo/examples';
import { createServiceCredential } from '../../tools/host/workflows';
import { launchBrowser, newPage, signIn } from './browser';
import { Editor } from './editor';
import { importExample, isRunByHand } from './exampleWorkflows';
import { useOutreachHost } from './outreachHost';
import { CAN, testWhere } from './underTest';
import type { N8nCredential } from '../../tools/host';

const host = useOutreachHost();

let browser: Browser;
let page: Page;
let credential: N8nCredential;

beforeAll(async () => {
	credential = await createServiceCredential(host());
	browser = await launchBrowser();
	page = await newPage(browser, { width: 1600, height: 900 });
	page.setDefaultTimeout(60_000);
	await signIn(page, host().server.url);
}, 120_000);
afterAll(() => browser.close());

/** Opens an example as it is after an import, with the credential chosen. */
async function openExample(file: string): Promise<Editor> {
	const { id } = await importExample(host(), file, {
		credentials: { outreachServiceApi: credential },
	});
	const editor = new Editor(page, host().server.url);
	await editor.open(id);
	return editor;
}

/** Whether the note of an example shows all of its text. */
async function showsWholeNote(): Promise<boolean> {
	const note = page.locator('[data-test-id="sticky"]');
	const frame = await note.boundingBox();
	const text = await note.locator('p').last().boundingBox();
	if (frame === null || text === null) throw new Error('The note is not visible');
	return text.y + text.height <= frame.y + frame.height;
}

const testCanvas = testWhere(CAN.showExamples, 'its editor is another one');

for (const file of EXAMPLE_FILES) {
	testCanvas(
		`${file} shows its whole note in the editor, and runs there with one click`,
		async () => {
			const editor = await openExample(file);
			expect(await showsWholeNote()).toBe(true);
			if (!isRunByHand(file)) return;
			await editor.byTestId('execute-workflow-button').first().click();
			await page.getByText('Workflow executed successfully').waitFor();
		},
	);
}
