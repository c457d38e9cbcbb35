import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CleanUp } from '../terminal/cleanUp';
import { runDemo } from '../demo/run';
import { newPage, signIn, takeScreenshot } from './browser';
import { Editor } from './editor';

/** Runs the demo, and takes a screenshot of its workflow. */
export async function captureDemo(browser: Browser): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-screenshot-'));
	const cleanUp = new CleanUp();
	try {
		const { server, workflowId } = await runDemo(folder, cleanUp);
		const page = await newPage(browser, { width: 1280 });
		await signIn(page, server.url);
		await new Editor(page, server.url).open(workflowId);
		await takeScreenshot(page, 'demo-workflow');
		await page.close();
	} finally {
		await cleanUp.run();
		await rm(folder, { recursive: true, force: true });
	}
}
