import type { Browser, Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { callApi } from '../service/testing/apiClient';
import { startReceiver, type Receiver } from '../service/testing/receiver';
import { startService, type RunningService } from '../../tools/service';
import { launchBrowser, newPage } from '../../tools/screenshots/browser';

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
	await page.locator('#connection.live').waitFor();
});
afterEach(async () => {
	await page.close();
	await receiver.close();
	await service.close();
	expect(pageErrors).toEqual([]);
});

/** A laptop's window, one of half its width, and a phone's. */
const WIDTHS = [1280, 760, 375];

/** Whether nothing of an element is cut off, neither by the window nor by its own width. */
async function isShownWhole(element: Locator, width: number): Promise<boolean> {
	const box = await element.boundingBox();
	const isCut = await element.evaluate(
		({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
			clientWidth > 0 && scrollWidth > clientWidth + 1,
	);
	return box !== null && box.width > 0 && box.x >= 0 && box.x + box.width <= width && !isCut;
}

/** Each text on the page with its color and that of its background. */
const COLORS = `[...document.querySelectorAll('body *')]
	.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
	.filter((element) => element.checkVisibility())
	.map((element) => {
		let behind = element;
		while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
		return [element.textContent.trim().slice(0, 40), getComputedStyle(element).color, getComputedStyle(behind).backgroundColor];
	})`;

/** The relative luminance of `rgb(…)`, as WCAG 2 defines it. */
function luminance(color: string): number {
	const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((text) => {
		const share = Number(text) / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colors, as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
	const [light = 1, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
	return (light + 0.05) / (dark + 0.05);
}

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

	it('calls events by their names in the form, the webhooks and the deliveries', async () => {
		const named = 'SMS: Reply Received (smsReplied)';
		service.addHook({ targetUrl: receiver.url, type: 'smsReplied' });
		service.addHook({ targetUrl: `${receiver.url}/all` });
		service.addHook({ targetUrl: `${receiver.url}/new`, type: 'brandNewEvent' });
		await page.selectOption('#event-type', { label: named });
		expect(await page.inputValue('#event-type')).toBe('smsReplied');
		await page.locator('#hooks td.event').nth(2).waitFor();
		expect(await page.locator('#hooks td.event').allInnerTexts()).toEqual([
			'brandNewEvent',
			'All Events',
			named,
		]);
		await service.emit({ type: 'smsReplied' });
		await page.locator('#ledger tr').nth(1).waitFor();
		expect(await page.locator('#ledger td.event').allInnerTexts()).toEqual([named, named]);
	});

	it.each(WIDTHS)(
		'shows ?event= of a long target URL, and all of it when it is selected, at %i pixels',
		async (width) => {
			await page.setViewportSize({ width, height: 800 });
			const query = `?event=networkWithdrawInvitationFailed&campaign=${'c'.repeat(300)}&x=1`;
			const url = `${receiver.url}/${'a'.repeat(300)}/webhook${query}`;
			service.addHook({ targetUrl: url, type: 'smsReplied' });
			await service.emit({ type: 'smsReplied' });
			for (const list of ['#hooks', '#ledger']) {
				const target = page.locator(`${list} details`);
				await target.scrollIntoViewIfNeeded();
				const event = target.getByText('?event=networkWithdrawInvitationFailed').first();
				expect(await isShownWhole(event, width)).toBe(true);
				expect(await isShownWhole(target.getByText('/webhook').first(), width)).toBe(true);
				expect(await target.locator('summary').getAttribute('title')).toBe(url);
				const full = target.locator('.full');
				expect(await full.isVisible()).toBe(false);
				await target.locator('summary').focus();
				await page.keyboard.press('Enter');
				expect(await full.innerText()).toBe(url);
				expect(await isShownWhole(full, width)).toBe(true);
			}
		},
	);

	it('lists the API requests with what was simulated, newest first and without a key', async () => {
		service.addFault({ kind: 'status', status: 503 });
		await callApi(service, 'GET', `/hooks?key=${service.apiKey}`);
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
			['GET', '/schema/people', '429', 'over the rate limit'],
			['DELETE', '/hooks/(API key)', '404', ''],
			['POST', '/hooks', 'no response', 'cut'],
			['GET', '/hooks', '503', 'status 503'],
		]);
		for (const [time, , , , ms] of cells) {
			expect(time).toMatch(/^\d\d:\d\d:\d\d/);
			expect(Number(ms)).toBeGreaterThanOrEqual(0);
		}
		expect(await page.content()).not.toContain(service.apiKey);
	});

	it.each(WIDTHS)('has every action of a webhook within reach at %i pixels', async (width) => {
		await page.setViewportSize({ width, height: 800 });
		const url = `https://${'a'.repeat(60)}.test/${'b'.repeat(200)}?event=networkLikeLastPostNoPost`;
		service.addHook({
			targetUrl: url,
			type: 'networkLikeLastPostNoPost',
			campaignId: 'cam_B2nM8qWe4RtY6uIoP',
			isFirst: true,
		});
		const row = page.locator('#hooks tr', { hasText: '?event=' });
		await row.waitFor();
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
		const buttons = row.getByRole('button');
		expect(await buttons.allInnerTexts()).toEqual(['Disable', 'Delete']);
		for (const button of await buttons.all()) {
			await button.scrollIntoViewIfNeeded();
			expect(await isShownWhole(button, width)).toBe(true);
		}
		await buttons.first().click();
		await row.getByText('disabled', { exact: true }).waitFor();
		await buttons.first().click();
		await row.waitFor({ state: 'detached' });
	});

	it('keeps the focus and an open URL while the list changes, so that the keyboard is enough', async () => {
		for (const name of ['a', 'b', 'c']) service.addHook({ targetUrl: `https://${name}.test/in` });
		const rows = page.locator('#hooks tr');
		await rows.nth(2).waitFor();
		await rows.nth(1).locator('summary').focus();
		for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
		await rows.nth(1).getByText('disabled', { exact: true }).waitFor();
		service.addHook({ targetUrl: 'https://d.test/in' });
		await rows.nth(3).waitFor();
		expect(await rows.nth(2).locator('.full').isVisible()).toBe(true);
		expect(service.hooks().map(({ disabled }) => disabled)).toEqual([false, true, false, false]);

		// The button that had the focus is gone: Enter closes the URL, and Tab goes on to Delete.
		for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
		await rows.nth(3).waitFor({ state: 'detached' });
		const left = () => service.hooks().map(({ targetUrl }) => targetUrl.slice(8, 9));
		expect(left()).toEqual(['a', 'c', 'd']);
		expect(await page.evaluate('document.activeElement.closest("tr").innerText')).toContain(
			'a.test',
		);
	});

	it('says why an action failed', async () => {
		service.addHook({ targetUrl: 'https://a.test/in' });
		await page.locator('#hooks tr button').first().waitFor();
		await page.route('**/hooks/*', (route) =>
			route.fulfill({ status: 404, body: '{"error":"Webhook not found"}' }),
		);
		await page.getByRole('button', { name: 'Delete webhook' }).click();
		await page.locator('#hook-result', { hasText: 'Webhook not found' }).waitFor();
	});

	it('gives each field and button a name', async () => {
		service.addHook({ targetUrl: 'https://a.test/in' });
		service.addFault({ kind: 'cut' });
		await page.locator('#faults li').waitFor();
		await page.locator('#hooks button').first().waitFor();
		const nameless =
			await page.evaluate(`[...document.querySelectorAll('input, select, textarea, button')]
			.filter((field) => !field.labels?.length && !field.textContent.trim() && !field.ariaLabel)
			.map((field) => field.outerHTML)`);
		expect(nameless).toEqual([]);
	});

	it.each(['light', 'dark'] as const)('has enough contrast in %s mode', async (colorScheme) => {
		await page.emulateMedia({ colorScheme });
		service.addHook({ targetUrl: `${receiver.url}?event=paused`, type: 'paused' });
		service.addHook({ targetUrl: 'http://127.0.0.1:9', type: 'paused' });
		service.disableHook(service.addHook({ targetUrl: receiver.url, type: 'smsSent' })._id);
		service.addFault({ kind: 'cut' });
		await callApi(service, 'GET', '/hooks').catch(() => undefined);
		await service.emit({ type: 'paused' });
		await page.locator('#ledger .bad').waitFor();
		await page.locator('#requests .bad').waitFor();
		const pairs = z
			.array(z.tuple([z.string(), z.string(), z.string()]))
			.parse(await page.evaluate(COLORS));
		expect(pairs.length).toBeGreaterThan(100);
		const low = pairs.filter(([, text, background]) => contrast(text, background) < 4.5);
		expect(low).toEqual([]);
	});
});
