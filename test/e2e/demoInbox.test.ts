import { loadExamples, startDemoInbox, type LoadedExamples } from '../../tools/demo/examples';
import { INBOX_EVENTS } from '../../tools/demo/inbox/events';
import type { Inbox } from '../../tools/demo/inbox/inbox';
import { EXAMPLE_FILES } from '../../tools/examples';
import { waitFor } from '../../tools/host';
import { createServiceCredential } from '../../tools/host/workflows';
import { launchBrowser, newPage } from '../../tools/screenshots/browser';
import { TEST_TIMEOUT_MS, useOutreachHost } from './outreachHost';

jest.setTimeout(TEST_TIMEOUT_MS);

// The demo runs on n8n 2 only.
const host = useOutreachHost({ n8n: 'n8n-2' });

let inbox: Inbox;
let loaded: LoadedExamples;

beforeAll(async () => {
	inbox = await startDemoInbox(host().service);
	const credential = await createServiceCredential(host());
	loaded = await loadExamples(host().server, host().service, credential, inbox);
}, TEST_TIMEOUT_MS);
afterAll(() => inbox.close());

const index = (label: string) => INBOX_EVENTS.findIndex((event) => event.label === label);

/** Sends an event as a click does, and waits for the messages. @returns their channels and texts */
async function messagesAfter(label: string, count: number): Promise<string[]> {
	const before = inbox.messages.length;
	await fetch(`${inbox.url}/events/${index(label)}`, { method: 'POST' });
	const messages = await waitFor(
		`${count} messages`,
		() => inbox.messages.slice(before),
		(arrived) => arrived.length >= count,
	);
	return messages.map(({ channel, text }) => `${channel}: ${text}`).sort();
}

test('every example is loaded', () => {
	expect(loaded.count).toBe(EXAMPLE_FILES.length);
});

test('a click on "Ada replies" brings a message of the workflow to the page', async () => {
	const browser = await launchBrowser();
	const page = await newPage(browser);
	await page.goto(inbox.url);
	await page.getByRole('button', { name: 'Ada replies' }).click();
	await page.getByText('Ada Lovelace replied to an email: Re: A quick question').waitFor();
	expect(await page.locator('#result').innerText()).toMatch(/n8n accepted \d+ deliveries/);
	await browser.close();
});

test('a colleague’s reply goes to a person, through both examples for third-party replies', async () => {
	const messages = await messagesAfter('Ada’s colleague replies', 2);
	expect(messages).toEqual([
		expect.stringMatching(/^#sales-takeover: Ada Lovelace replied/),
		expect.stringMatching(/^sales: Someone other than the lead replied to/),
	]);
});

test('an interested lead reaches the chat, and a bounce the CRM', async () => {
	expect(await messagesAfter('Grace is interested', 1)).toEqual([
		'sales: Grace Hopper <grace@example.com> is interested (Autumn outreach)',
	]);
	expect(await messagesAfter('Alan’s email bounces', 1)).toEqual([
		'do-not-contact: {"email":"alan@example.com","reason":"bounced"}',
	]);
});

test('every event starts at least one example', async () => {
	for (const { activity } of INBOX_EVENTS) {
		const attempts = await host().service.emit(activity);
		expect([activity.type, attempts.length > 0]).toEqual([activity.type, true]);
	}
});
