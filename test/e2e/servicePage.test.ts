import type { Browser, Page } from 'playwright-core';
import { callApi } from '../service/testing/apiClient';
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
		await page.selectOption('#event-type', { label: 'SMS: Reply Received (smsReplied)' });
		await page.waitForFunction(
			"document.getElementById('event-body').value.includes('smsReplied')",
		);
		const sample = JSON.parse(await page.inputValue('#event-body')) as object;
		await page.fill('#event-body', JSON.stringify({ ...sample, leadEmail: 'edited@lead.test' }));
		await button('Send').click();
		await page.getByText('Sent to 1, all delivered.').waitFor();
		const delivery = page.locator('#ledger tr', { hasText: 'SMS: Reply Received (smsReplied)' });
		expect(await delivery.innerText()).toContain('✓ 200');
		expect(JSON.stringify(receiver.received)).toContain('edited@lead.test');
		await takeScreenshot(page, 'local-service');
	});

	it('shows webhooks of other clients, disables and deletes them, and shows no secret', async () => {
		service.addHook({ targetUrl: 'https://crm.test/<b>in</b>', secret: 'not for the page' });
		const row = page.locator('#hooks tr', { hasText: 'https://crm.test/<b>in</b>' });
		await row.waitFor();
		expect(await row.innerText()).toMatch(/All Events\s+set/);
		expect(await page.content()).not.toContain('not for the page');
		await row.getByRole('button', { name: 'Disable' }).click();
		await row.getByText('disabled', { exact: true }).waitFor();
		await row.getByRole('button', { name: 'Delete' }).click();
		await row.waitFor({ state: 'detached' });
		expect(service.hooks()).toEqual([]);
	});

	it('adds a fault, sets a switch, and says why it cannot', async () => {
		await page.selectOption('#fault-kind', { index: 2 });
		await button('Add').click();
		await page.locator('#faults', { hasText: '"kind":"cut"' }).waitFor();
		expect(service.faults).toMatchObject([{ fault: { kind: 'cut' } }]);
		await button('Remove all').click();
		await page.locator('#faults:empty').waitFor({ state: 'attached' });
		await page.fill('#switch-body', '{ "createStatus": 201 }');
		await button('Set').click();
		await page.getByText('Done.').waitFor();
		expect(service.switches.createStatus).toBe(201);
		await page.fill('#switch-body', '{ "createStatus": 1 }');
		await button('Set').click();
		await page.locator('#result.bad', { hasText: 'createStatus' }).waitFor();
	});

	it('lists the API requests with what was simulated, newest first and without a key', async () => {
		service.addFault({ kind: 'cut' });
		await expect(callApi(service, 'POST', '/hooks', { body: {} })).rejects.toThrow();
		await callApi(service, 'DELETE', `/hooks/${service.apiKey}`);
		service.setSwitches({ rateLimitRequests: 0 });
		await callApi(service, 'GET', '/schema/people');
		await page.locator('#requests tr', { hasText: 'over the rate limit' }).waitFor();
		const rows = await page.locator('#requests tr').all();
		const cells = await Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
		expect(
			cells.map(([, method, path, response, , simulated]) => [method, path, response, simulated]),
		).toEqual([
			['GET', '/schema/people', '✗ 429', 'over the rate limit'],
			['DELETE', '/hooks/(API key)', '✗ 404', ''],
			['POST', '/hooks', '✗ no response, disconnected', 'cut'],
		]);
		expect(await page.content()).not.toContain(service.apiKey);
	});
});
