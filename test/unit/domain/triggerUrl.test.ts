/** Which target URLs are of this n8n, and of which node. */
import {
	webhookBase,
	isTestUrl,
	pathInN8n,
	targetUrlOf,
	triggerUrlIn,
} from '../../../nodes/OutreachService/domain/triggerUrl';

const REST = 'https://n8n.test/base/rest';

it.each([
	['https://n8n.test/base/webhook/1/webhook?event=*', 'webhook/1/webhook?event=*'],
	['HTTPS://N8N.test:443/base/webhook/1', 'webhook/1'],
	['https://n8n.test/base/webhook-test/1', 'webhook-test/1'],
	['https://n8n.test/webhook/1', undefined],
	['http://n8n.test/base/webhook/1', undefined],
	['https://n8n.test.elsewhere.test/base/webhook/1', undefined],
	['no URL', undefined],
])('%s has in n8n the path %s', (url, path) => {
	expect(pathInN8n(url, REST)).toBe(path);
});

it.each([
	['https://n8n.test/webhook-test/4f1c/webhook', true],
	['https://editor.test/base/webhook-test/4f1c/webhook', true],
	['https://n8n.test/webhook/4f1c/webhook?to=/webhook-test/', false],
	['no URL', false],
])('%s is the URL of a test run: %s', (url, isTest) => {
	expect(isTestUrl(url)).toBe(isTest);
});

it('Nothing is said to be of this n8n while its own URL is unknown', () => {
	expect(pathInN8n('https://n8n.test/webhook/1', '')).toBeUndefined();
});

const BASE = webhookBase('https://n8n.test/webhook/4f1c/webhook');

it.each([
	[targetUrlOf({ base: BASE, event: '*', campaignId: undefined, isFirst: undefined }), true],
	[targetUrlOf({ base: BASE, event: 'emailsReplied', campaignId: 'cam_1', isFirst: true }), true],
	[`${BASE}?event=%2A`, true],
	[BASE, false],
	[`${BASE}?event=*&token=1`, false],
	['https://n8n.test/webhook/4f1c?event=*', false],
	['https://n8n.test/4f1c//webhook?event=*', false],
	['no URL', false],
])('%s has the form of a trigger’s: %s', (url, expected) => {
	expect(triggerUrlIn(url) !== undefined).toBe(expected);
});

it.each(['*', 'emailsReplied', 'odd event', 'ünusual'])(
	'A trigger’s URL for %j is found again in what a service makes of it',
	(event) => {
		for (const [campaignId, isFirst] of [
			[undefined, false],
			['cam_1', false],
			[undefined, true],
			['cam_1', true],
		] as const) {
			const parts = { base: BASE, event, campaignId, isFirst };
			const url = targetUrlOf(parts);
			expect(triggerUrlIn(url)).toEqual(parts);
			const { searchParams } = new URL(url);
			// As a service does that parses and writes the query: * becomes %2A, or a space +.
			const query = searchParams.toString().replaceAll('*', '%2A');
			expect(triggerUrlIn(`${BASE}?${query}`)).toEqual(parts);
		}
	},
);
