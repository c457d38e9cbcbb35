import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { DEFAULT_SWITCHES, startService, type RunningService } from '../service';
import { newPage, takeScreenshot } from './browser';

/** A receiver that fails for one path. */
async function startReceiver(): Promise<{ url: string; server: Server }> {
	const server = createServer((request, response) => {
		request.resume();
		response.writeHead(request.url?.includes('crm') ? 503 : 200).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	return { url: `http://127.0.0.1:${address.port}`, server };
}

/** Calls the API. A connection that a fault cuts is no error. */
async function callApi(service: RunningService, method: string, path: string): Promise<void> {
	const authorization = `Basic ${Buffer.from(`:${service.apiKey}`).toString('base64')}`;
	await fetch(`${service.baseUrl}${path}`, { method, headers: { authorization } }).catch(
		() => undefined,
	);
}

/** Sends some requests over the rate limit, and then some that meet faults. */
async function callWithFaults(service: RunningService): Promise<void> {
	const { rateLimitRequests, rateLimitWindowMs } = DEFAULT_SWITCHES;
	const list = async () => callApi(service, 'GET', '/hooks');
	await Promise.all(Array.from({ length: rateLimitRequests + 3 }, list));
	await sleep(rateLimitWindowMs);
	service.addFault({ kind: 'delay', delayMs: 350, match: { path: '/schema/people' } });
	service.addFault({ kind: 'cut', match: { method: 'DELETE' } });
	service.addFault({ kind: 'status', status: 500, match: { method: 'GET', path: '/hooks' } });
	service.addFault({ kind: 'status', status: 429, match: { method: 'GET', path: '/hooks' } });
	for (const [method, path] of [
		['GET', '/hooks'],
		['GET', '/hooks'],
		['GET', '/schema/people'],
		['DELETE', '/hooks/hoo_bVQKvbrmo68XYUu8l'],
		['GET', '/hooks/hoo_bVQKvbrmo68XYUu8l'],
	] as const) {
		await callApi(service, method, path);
	}
}

/** Prepares a service that looks like one in use. */
async function prepare(service: RunningService, receiver: string): Promise<void> {
	await callWithFaults(service);
	const secret = 'only-for-the-screenshot';
	const webhook = `${receiver}/webhook/4f1c7a52-93d0-4b8e-a1c6-20f5d8e7b394/webhook`;
	service.addHook({
		targetUrl: `${webhook}?event=emailsReplied`,
		type: 'emailsReplied',
		secret,
	});
	service.addHook({
		targetUrl: `${webhook}?event=emailsBounced`,
		type: 'emailsBounced',
		secret,
	});
	service.addHook({
		targetUrl: `${receiver}/crm/leads`,
		type: 'warmed',
		campaignId: 'cam_B2nM8qWe4RtY6uIoP',
		isFirst: true,
	});
	service.addHook({ targetUrl: `${receiver}/everything` });
	for (const type of [
		'emailsSent',
		'emailsOpened',
		'networkInviteAccepted',
		'emailsBounced',
		'smsReplied',
	]) {
		await service.emit({ type });
	}
}

/** Uses the page as a user does, and fails if it does not show the results. */
async function use(page: Page): Promise<void> {
	await page.locator('#connection.live').waitFor();
	await page.selectOption('#event-type', 'callTranscriptDone');
	await page.selectOption('#event-type', 'emailsReplied');
	await page.waitForFunction(
		"document.getElementById('event-body').value.includes('emailsReplied')",
	);
	await page.getByRole('button', { name: 'Send', exact: true }).click();
	await page.locator('#event-result', { hasText: 'Sent to' }).waitFor();
	await page.locator('#ledger tr', { hasText: 'Email: Reply Received' }).first().waitFor();
	await page.locator('#requests tr', { hasText: 'over the rate limit' }).first().waitFor();

	await page.selectOption('#fault-kind', 'status');
	await page.getByRole('button', { name: 'Add', exact: true }).click();
	await page.locator('#faults li').waitFor();
	await page.getByLabel('createStatus').fill('201');
	await page.getByLabel('createStatus').blur();
	await page.locator('#switch-count', { hasText: '1 changed' }).waitFor();
}

/**
 * The webhooks on a phone, in dark mode.
 *
 * @throws if the page or a button goes beyond the edge of the screen
 */
async function capturePhone(browser: Browser, { controlUrl }: RunningService): Promise<void> {
	const width = 375;
	const page = await newPage(browser, { width, height: 720, isDark: true });
	await page.goto(`${controlUrl}/#hooks-title`);
	await page.locator('#hooks tr').nth(3).waitFor();
	for (const button of await page.locator('#hooks button').all()) {
		const box = await button.boundingBox();
		if (box === null || box.x < 0 || box.x + box.width > width)
			throw new Error(`A button is out of reach: ${await button.innerText()}`);
	}
	await page.locator('#hooks-title').scrollIntoViewIfNeeded();
	await page.evaluate("document.getElementById('hooks-title').closest('section').scrollIntoView()");
	await takeScreenshot(page, 'local-service-phone');
	await page.close();
}

/** The local service's control page after some use. */
export async function captureLocalService(browser: Browser): Promise<void> {
	const service = await startService({ apiKeys: ['demo-key'] });
	const receiver = await startReceiver();
	try {
		await prepare(service, receiver.url);
		const page = await newPage(browser, { width: 1280, height: 1380, scale: 0.65 });
		page.on('pageerror', (error) => {
			throw error;
		});
		await page.goto(service.controlUrl);
		await use(page);
		await page.evaluate('window.scrollTo(0, 0)');
		await takeScreenshot(page, 'local-service');
		await page.close();
		await capturePhone(browser, service);
	} finally {
		await service.close();
		receiver.server.close();
	}
}
