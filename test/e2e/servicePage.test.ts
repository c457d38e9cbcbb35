/** The control page of the local service, as a person uses it. The world is a local service and a browser. */
import type { Browser, Page } from 'playwright-core';
import type { RunningService } from '../../tools/service';
import { callApi, receiver, service as startService } from '../service/support';
import { launchBrowser, newPage, takeScreenshot } from './editor';

let browser: Browser;
let page: Page;
let service: RunningService;
const pageErrors: Error[] = [];

beforeAll(async () => {
	browser = await launchBrowser();
}, 60_000);
afterAll(() => browser.close());

const openPage = async (options: Parameters<typeof newPage>[1]): Promise<Page> => {
	const opened = await newPage(browser, options);
	opened.on('pageerror', (error) => pageErrors.push(error));
	await opened.goto(service.controlUrl);
	await opened.getByText('Live', { exact: true }).waitFor();
	return opened;
};

beforeEach(async () => {
	service = await startService({ control: true });
	page = await openPage({ width: 1280 });
});
afterEach(async () => {
	await page.close();
	expect(pageErrors.splice(0)).toEqual([]);
});

const click = async (name: string) => page.getByRole('button', { name, exact: true }).click();

describe('The control page of the local service', () => {
	it('sends an event with edited fields, and shows its delivery below', async () => {
		const { url, received } = await receiver();
		service.addHook({ targetUrl: url, type: 'smsReplied', secret: 'not for the page' });
		service.addHook({ targetUrl: 'http://127.0.0.1:1/gone', type: 'emailsBounced' });
		await page.selectOption('#event-type', 'smsReplied');
		const sample = JSON.parse(await page.inputValue('#event-body')) as object;
		expect(sample).toMatchObject({ type: 'smsReplied' });
		await page.getByText('Change its fields').click();
		await page.fill('#event-body', JSON.stringify({ ...sample, leadEmail: 'edited@lead.test' }));
		await click('Send');
		await page.getByText('Sent to 1 webhook: delivered.').waitFor();
		const delivery = page.locator('#deliveries tr', { hasText: 'smsReplied' });
		expect(await delivery.innerText()).toMatch(/\b200 in \d+ ms/);
		expect(JSON.stringify(received)).toContain('edited@lead.test');

		await page.selectOption('#event-type', 'emailsBounced');
		await click('Send');
		await page.getByText('Sent to 1 webhook: 1 failed.').waitFor();
		await page.locator('#deliveries tr', { hasText: 'ECONNREFUSED' }).waitFor();
		await page.selectOption('#event-type', 'paused');
		await click('Send');
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

	it('lets requests fail, says why a fault is invalid, and shows the requests', async () => {
		await page.getByText('Let requests fail').click();
		await click('Add');
		await page.locator('#faults tr', { hasText: '"status":503' }).waitFor();
		await page.getByText('Requests to the API').click();
		await callApi(service, 'GET', '/hooks');
		await page.locator('#requests tr', { hasText: '/hooks' }).getByText('503').waitFor();
		await page.fill('#fault', '{"kind":"cut","times":0}');
		await click('Add');
		await page.getByText('times: ').waitFor();
		await click('Remove all');
		await page.getByText('No fault waits for a request.').waitFor();
		expect(service.faults).toEqual([]);
	});

	it.each([
		{ width: 1200, isDark: false, picture: 'local-service' },
		{ width: 900, isDark: true, picture: 'local-service-dark' },
	])('fits into $width pixels (dark: $isDark)', async ({ width, isDark, picture }) => {
		const { url } = await receiver();
		const host = 'https://n8n.example.com/webhook/0f9f0e52-7a3b-4a63-9c1b-6d4e8f1a2b3c/webhook';
		service.addHook({ targetUrl: url, type: 'emailsReplied', secret: 'a' });
		service.addHook({ targetUrl: `${host}?event=warmed&campaign=cam_1`, type: 'warmed' });
		await page.close();
		page = await openPage({ width, height: 900, isDark });
		await click('Send');
		for (const table of ['#deliveries', '#hooks']) {
			const row = page.locator(`${table} tr`, { hasText: url });
			expect(await row.innerText()).toContain('emailsReplied');
		}
		const overflow = await page.evaluate<number>(
			'document.documentElement.scrollWidth - document.documentElement.clientWidth',
		);
		expect(overflow).toBe(0);
		await takeScreenshot(page, picture);
	});
});
