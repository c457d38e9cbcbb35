import { mkdtempSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
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
	{ width = 1200, height = 720, scale = 1, isDark = false } = {},
): Promise<Page> {
	const page = await browser.newPage({
		viewport: { width, height },
		deviceScaleFactor: scale,
		colorScheme: isDark ? 'dark' : 'light',
	});
	page.setDefaultTimeout(15_000);
	return page;
}

/** Signs in to n8n's editor as the owner. */
export async function signIn(page: Page, url: string): Promise<void> {
	await page.goto(`${url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
	await page.locator('input[name="password"]').fill(owner.password);
	await page.locator('[data-test-id="form-submit-button"]').click();
	await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
}

/**
 * Takes a screenshot, for the documents unless a folder is given.
 *
 * @throws if the file is too large
 */
export async function takeScreenshot(page: Page, name: string, folder = FOLDER): Promise<void> {
	// Wait for animations, which have no event for their end.
	await page.waitForTimeout(700);
	const path = join(folder, `${name}.png`);
	await page.screenshot({ path });
	const { size } = await stat(path);
	if (size > MAX_BYTES) throw new Error(`${name}.png is too large for the documents`);
}
