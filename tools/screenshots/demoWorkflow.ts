import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { CleanUp } from '../terminal/cleanUp';
import { runDemo, showExamples } from '../demo/run';
import { newPage, signIn, takeScreenshot } from './browser';
import { Editor } from './editor';

/** The inbox after a few clicks. */
async function captureInbox(page: Page, url: string): Promise<void> {
	await page.goto(url);
	for (const [button, message] of [
		['Ada replies', 'Ada Lovelace replied to an email'],
		['Grace is interested', 'Grace Hopper <grace@example.com> is interested'],
		['Alan’s email bounces', '"reason":"bounced"'],
	] as const) {
		await page.getByRole('button', { name: button }).click();
		await page.getByText(message).first().waitFor();
	}
	await takeScreenshot(page, 'demo-inbox');
}

/** Runs the demo, and takes screenshots of its workflow and of its inbox. */
export async function captureDemo(browser: Browser): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-screenshot-'));
	const cleanUp = new CleanUp();
	try {
		const demo = await runDemo(folder, cleanUp);
		const { server, workflowId } = demo;
		const page = await newPage(browser, { width: 1280 });
		await signIn(page, server.url);
		await new Editor(page, server.url).open(workflowId);
		await takeScreenshot(page, 'demo-workflow');
		const { inboxUrl } = await showExamples(demo, cleanUp);
		await captureInbox(page, inboxUrl);
		await page.close();
	} finally {
		await cleanUp.run();
		await rm(folder, { recursive: true, force: true });
	}
}
