/** `tsx test/screenshots/demoWorkflow.ts`: runs the demo and takes the README's picture of its workflow in the editor. */
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { CleanUp } from '../../demo/cleanUp';
import { runDemo, type Demo } from '../../demo/run';
import { owner } from '../host';

const picture = resolve(__dirname, '../../docs/images/demo-workflow.png');

/** Without these Chromium calls home, or fails as root or without a graphics card. */
const CHROMIUM_ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-screenshot-'));
	const cleanUp = new CleanUp();
	try {
		const demo = await runDemo(folder, cleanUp);
		const browser = await chromium.launch({
			executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
			args: CHROMIUM_ARGUMENTS,
		});
		cleanUp.add('close the browser', () => browser.close());
		const page = await browser.newPage({
			viewport: { width: 1280, height: 720 },
			colorScheme: 'light',
		});
		await signIn(page, demo);
		await openWorkflow(page, demo);
		await mkdir(dirname(picture), { recursive: true });
		await page.screenshot({ path: picture });
		const { size } = await stat(picture);
		process.stdout.write(`${picture}: ${Math.round(size / 1000)} kB\n`);
	} finally {
		await cleanUp.run();
		await rm(folder, { recursive: true, force: true });
	}
}

async function signIn(page: Page, { server }: Demo): Promise<void> {
	await page.goto(`${server.url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
	await page.locator('input[name="password"]').fill(owner.password);
	await page.locator('[data-test-id="form-submit-button"]').click();
	await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
}

async function openWorkflow(page: Page, { server, workflowId }: Demo): Promise<void> {
	await page.goto(`${server.url}/workflow/${workflowId}`);
	await page.locator('[data-test-id="canvas-node"]').first().waitFor();
	// The canvas fits the workflow into the window with a short animation.
	await page.keyboard.press('1');
	await page.waitForTimeout(2_000);
}

void main();
