/** The browser, the pictures that it takes, and n8n's editor in it. */
import { mkdtempSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { owner } from '../../tools/host';

/** With `PICTURES=docs`, the tests renew the pictures of the documents. Else they only show that they can be taken. */
const FOLDER =
	process.env.PICTURES === 'docs'
		? resolve(__dirname, '../../docs/images')
		: mkdtempSync(join(tmpdir(), 'outreach-pictures-'));

/** Larger images make the documents slow to load. */
const MAX_BYTES = 200_000;

/** Without these, Chromium sends background requests, and fails as root or without a graphics card. */
const CHROMIUM_ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Debian's Chromium, or the one that `CHROMIUM_PATH` names. */
export async function launchBrowser(): Promise<Browser> {
	return chromium.launch({
		executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
		args: CHROMIUM_ARGUMENTS,
	});
}

export async function newPage(
	browser: Browser,
	{ width = 1200, height = 720, isDark = false } = {},
): Promise<Page> {
	const page = await browser.newPage({
		viewport: { width, height },
		colorScheme: isDark ? 'dark' : 'light',
	});
	page.setDefaultTimeout(15_000);
	return page;
}

/** @throws if the file is too large */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
	// Wait for animations, which have no event for their end.
	await page.waitForTimeout(700);
	const path = join(FOLDER, `${name}.png`);
	await page.screenshot({ path });
	const { size } = await stat(path);
	if (size > MAX_BYTES) throw new Error(`${name}.png is too large for the documents`);
}

/** Page object for n8n's editor. */
export class Editor {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	byTestId(id: string): Locator {
		return this.page.locator(`[data-test-id="${id}"]`);
	}

	/** Signs in as the owner. */
	async signIn(): Promise<void> {
		await this.page.goto(`${this.url}/signin`);
		await this.page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
		await this.page.locator('input[name="password"]').fill(owner.password);
		await this.byTestId('form-submit-button').click();
		await this.page.waitForURL((url) => !url.pathname.startsWith('/signin'));
	}

	async open(workflowId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.byTestId('canvas-node').first().waitFor();
		await this.page.waitForTimeout(1_000);
		await this.byTestId('zoom-to-fit').click();
		await this.page.waitForTimeout(800);
	}

	async openNode(name: string): Promise<void> {
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`)
			.first()
			.dblclick();
		await this.byTestId('ndv').waitFor();
	}

	/**
	 * Runs the open node, and waits for the result.
	 *
	 * @throws if it is not the expected one: a picture would show it
	 */
	async runNode(expected: 'success' | 'error' = 'success'): Promise<void> {
		await this.byTestId('node-execute-button').click();
		const error = this.byTestId('node-error-message').or(
			this.page.getByText(/Problem in node|cannot start/),
		);
		const success = this.page
			.locator('[data-test-id="ndv-data-container"] table')
			.or(this.page.getByText('executed successfully'));
		await error.or(success).first().waitFor();
		const outcome = (await error.count()) > 0 ? 'error' : 'success';
		if (outcome !== expected) throw new Error(`The node ended with ${outcome}, not ${expected}`);
		await this.dismissMessages();
	}

	/** Closes the notifications, which cover the output panel. */
	async dismissMessages(): Promise<void> {
		const closers = this.page.locator('.el-notification__closeBtn:visible');
		while ((await closers.count()) > 0) {
			// It may close by itself at the same time.
			await closers
				.first()
				.click({ timeout: 1_000 })
				.catch(() => undefined);
			await this.page.waitForTimeout(400);
		}
	}

	async showOutputAs(display: 'Table' | 'JSON' | 'Schema'): Promise<void> {
		const id = `radio-button-${display.toLowerCase()}`;
		await this.byTestId('output-panel').locator(`[data-test-id="${id}"]`).click();
	}
}
