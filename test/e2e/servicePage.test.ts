import type { Browser, Page } from 'playwright-core';
import { startReceiver, type Receiver } from '../service/testing/receiver';
import { startService, type RunningService } from '../../tools/service';
import { launchBrowser, newPage, takeScreenshot } from './browser';

let browser: Browser;
let page: Page;
let service: RunningService;
let receiver: Receiver;
const pageErrors: Error[] = [];

beforeAll(async () => {
	browser = await launchBrowser();
}, 60_000);
afterAll(() => browser.close());

beforeEach(async () => {
	service = await startService();
	receiver = await startReceiver();
	page = await newPage(browser, { width: 1280 });
	page.on('pageerror', (error) => pageErrors.push(error));
	await page.goto(service.controlUrl);
	await page.getByText('Live', { exact: true }).waitFor();
});
afterEach(async () => {
	await page.close();
	await receiver.close();
	await service.close();
	expect(pageErrors).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('The control page of the local service', () => {
	it('sends an event of the selected type with edited fields, and shows its delivery', async () => {
		service.addHook({ targetUrl: receiver.url, type: 'smsReplied', secret: 'not for the page' });
		await page.selectOption('#event-type', 'smsReplied');
		await page.waitForFunction(
			"document.getElementById('event-body').value.includes('smsReplied')",
		);
		const sample = JSON.parse(await page.inputValue('#event-body')) as object;
		await page.fill('#event-body', JSON.stringify({ ...sample, leadEmail: 'edited@lead.test' }));
		await button('Send').click();
		await page.getByText('Sent to 1, all delivered.').waitFor();
		const delivery = page.locator('#ledger tr', { hasText: 'smsReplied' });
		expect(await delivery.innerText()).toMatch(/\b200\b/);
		expect(JSON.stringify(receiver.received)).toContain('edited@lead.test');
		await takeScreenshot(page, 'local-service');
	});

	it('shows webhooks of other clients, disables and deletes them, and shows no secret', async () => {
		service.addHook({ targetUrl: 'https://crm.test/<b>in</b>', secret: 'not for the page' });
		const row = page.locator('#hooks tr', { hasText: 'https://crm.test/<b>in</b>' });
		await row.waitFor();
		expect(await page.content()).not.toContain('not for the page');
		await row.getByRole('button', { name: 'Disable' }).click();
		await row.getByText('true', { exact: true }).nth(1).waitFor();
		await row.getByRole('button', { name: 'Delete' }).click();
		await row.waitFor({ state: 'detached' });
		expect(service.hooks()).toEqual([]);
	});
});
