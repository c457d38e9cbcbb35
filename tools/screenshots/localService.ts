import { createServer, type Server } from 'node:http';
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

/** Lists the webhooks until some requests exceed the rate limit. */
async function exceedRateLimit({ baseUrl, apiKey }: RunningService): Promise<void> {
	const authorization = `Basic ${Buffer.from(`:${apiKey}`).toString('base64')}`;
	const list = async () => fetch(`${baseUrl}/hooks`, { headers: { authorization } });
	await Promise.all(Array.from({ length: DEFAULT_SWITCHES.rateLimitRequests + 3 }, list));
}

/** Prepares a service that looks like one in use. */
async function prepare(service: RunningService, receiver: string): Promise<void> {
	await exceedRateLimit(service);
	const secret = 'only-for-the-screenshot';
	service.addHook({
		targetUrl: `${receiver}/webhook/7c1f/outreach?event=emailsReplied`,
		type: 'emailsReplied',
		secret,
	});
	service.addHook({
		targetUrl: `${receiver}/webhook/7c1f/outreach?event=emailsBounced`,
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
	await page.locator('#ledger tr', { hasText: 'emailsReplied' }).first().waitFor();

	await page.selectOption('#fault-kind', 'status');
	await page.getByRole('button', { name: 'Add', exact: true }).click();
	await page.locator('#faults li').waitFor();
	await page.getByLabel('createStatus').fill('201');
	await page.getByLabel('createStatus').blur();
	await page.locator('#switch-count', { hasText: '1 changed' }).waitFor();
}

/** The local service's control page after some use. */
export async function captureLocalService(browser: Browser): Promise<void> {
	const service = await startService({ apiKeys: ['demo-key'] });
	const receiver = await startReceiver();
	try {
		await prepare(service, receiver.url);
		const page = await newPage(browser, { width: 1360, height: 1180, scale: 0.75 });
		page.on('pageerror', (error) => {
			throw error;
		});
		await page.goto(service.controlUrl);
		await use(page);
		await page.evaluate('window.scrollTo(0, 0)');
		await takeScreenshot(page, 'local-service');
		await page.close();
	} finally {
		await service.close();
		receiver.server.close();
	}
}
