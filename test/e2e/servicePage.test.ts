import type { Browser, Page } from 'playwright-core';
import { startReceiver, type Receiver } from '../service/testing/receiver';
import { startService, type RunningService } from '../../tools/service';
import { launchBrowser } from '../../tools/screenshots/browser';

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
	page = await browser.newPage();
	page.on('pageerror', (error) => pageErrors.push(error));
	await page.goto(service.controlUrl);
	await page.locator('#connection.live').waitFor();
});
afterEach(async () => {
	await page.close();
	await receiver.close();
	await service.close();
	expect(pageErrors).toEqual([]);
});

describe('The control page of the local service', () => {
	it('sends an event of the selected type with edited fields, and shows its delivery without a reload', async () => {
		service.addHook({ targetUrl: receiver.url, type: 'smsReplied', secret: 'not for the page' });
		await page.selectOption('#event-type', 'smsReplied');
		await page.waitForFunction(
			"document.getElementById('event-body').value.includes('smsReplied')",
		);
		const sample = JSON.parse(await page.inputValue('#event-body')) as object;
		await page.fill('#event-body', JSON.stringify({ ...sample, leadEmail: 'edited@lead.test' }));
		await page.getByRole('button', { name: 'Send', exact: true }).click();

		await page.locator('#ledger tr', { hasText: 'smsReplied' }).waitFor();
		expect(await page.locator('#ledger tr').innerText()).toContain('200');
		expect(service.ledger).toHaveLength(1);
		expect(JSON.stringify(receiver.received)).toContain('edited@lead.test');
	});

	it('shows a webhook of another client immediately, with a mark for its secret instead of its value', async () => {
		service.addHook({ targetUrl: 'https://crm.test/<b>in</b>', secret: 'not for the page' });
		const row = page.locator('#hooks tr', { hasText: 'https://crm.test/<b>in</b>' });
		await row.waitFor();
		expect(await row.innerText()).toContain('set');
		expect(await page.content()).not.toContain('not for the page');
		await row.getByRole('button', { name: 'Delete' }).click();
		await page.locator('#hooks tr', { hasText: 'crm.test' }).waitFor({ state: 'detached' });
		expect(service.hooks()).toEqual([]);
	});

	it('changes a switch and adds a fault', async () => {
		await page.getByLabel('createStatus').fill('201');
		await page.getByLabel('createStatus').blur();
		await page.locator('#switch-count', { hasText: '1 changed' }).waitFor();
		expect(service.switches.createStatus).toBe(201);
		await page.selectOption('#fault-kind', 'cut');
		await page.getByRole('button', { name: 'Add', exact: true }).click();
		await page.locator('#faults li').waitFor();
		expect(service.faults).toEqual([
			expect.objectContaining({ fault: expect.objectContaining({ kind: 'cut' }) as object }),
		]);
	});
});
