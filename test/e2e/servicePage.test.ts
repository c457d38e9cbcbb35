/** The control page of the local service, as a person uses it. The world is a local service and a browser. */
import type { Browser, Page } from 'playwright-core';
import { startReceiver, type Receiver } from '../service/testing/receiver';
import { startService, type RunningService } from '../../tools/service';
import { waitFor } from '../../tools/host';
import { launchBrowser, newPage, takeScreenshot } from './editor';

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
	expect(pageErrors.splice(0)).toEqual([]);
});

const waitForValue = (field: string, part: string) =>
	waitFor(
		`${part} in ${field}`,
		() => page.inputValue(field),
		(value) => value.includes(part),
	);

const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('The control page of the local service', () => {
	it('sends an event with edited fields, and shows its delivery below', async () => {
		service.addHook({ targetUrl: receiver.url, type: 'smsReplied', secret: 'not for the page' });
		service.addHook({ targetUrl: 'http://127.0.0.1:1/gone', type: 'emailsBounced' });
		await page.selectOption('#event-type', 'smsReplied');
		await waitForValue('#event-body', 'smsReplied');
		const sample = JSON.parse(await page.inputValue('#event-body')) as object;
		await page.getByText('Change its fields').click();
		await page.fill('#event-body', JSON.stringify({ ...sample, leadEmail: 'edited@lead.test' }));
		await button('Send').click();
		await page.getByText('Sent to 1 webhook: delivered.').waitFor();
		const delivery = page.locator('#deliveries tr', { hasText: 'smsReplied' });
		expect(await delivery.innerText()).toMatch(/\b200 in \d+ ms/);
		expect(JSON.stringify(receiver.received)).toContain('edited@lead.test');

		await page.selectOption('#event-type', 'emailsBounced');
		await button('Send').click();
		await page.getByText('Sent to 1 webhook: 1 failed.').waitFor();
		await page.locator('#deliveries tr', { hasText: 'ECONNREFUSED' }).waitFor();
		await page.selectOption('#event-type', 'paused');
		await button('Send').click();
		await page.getByText('No webhook is registered for this event.').waitFor();
	});

	it('shows webhooks of other clients, disables and deletes them, and shows no secret', async () => {
		service.addHook({ targetUrl: 'https://crm.test/<b>in</b>', secret: 'not for the page' });
		const row = page.locator('#hooks tr', { hasText: 'https://crm.test/<b>in</b>' });
		await row.waitFor();
		expect(await page.content()).not.toContain('not for the page');
		await row.getByRole('button', { name: 'Disable' }).click();
		await page.locator('#hooks tr', { hasText: 'All events (disabled)' }).waitFor();
		await row.getByRole('button', { name: 'Delete' }).click();
		await row.waitFor({ state: 'detached' });
		expect(service.hooks()).toEqual([]);
	});

	it.each([
		{ width: 1200, isDark: false, picture: 'local-service' },
		{ width: 900, isDark: true, picture: 'local-service-dark' },
	])('fits into $width pixels (dark: $isDark)', async ({ width, isDark, picture }) => {
		const host = 'https://n8n.example.com/webhook/0f9f0e52-7a3b-4a63-9c1b-6d4e8f1a2b3c/webhook';
		service.addHook({ targetUrl: receiver.url, type: 'emailsReplied', secret: 'a' });
		service.addHook({ targetUrl: `${host}?event=warmed&campaign=cam_1`, type: 'warmed' });
		const view = await newPage(browser, { width, height: 900, isDark });
		await view.goto(service.controlUrl);
		await view.getByText('Live', { exact: true }).waitFor();
		await view.getByRole('button', { name: 'Send', exact: true }).click();
		for (const table of ['#deliveries', '#hooks']) {
			const row = view.locator(`${table} tr`, { hasText: receiver.url });
			expect(await row.innerText()).toContain('emailsReplied');
		}
		const overflow = await view.evaluate<number>(
			'document.documentElement.scrollWidth - document.documentElement.clientWidth',
		);
		expect(overflow).toBe(0);
		await takeScreenshot(view, picture);
		await view.close();
	});
});
