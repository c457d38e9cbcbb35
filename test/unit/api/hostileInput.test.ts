/** A hostile service or a pasted text must not make a reader take longer than its length justifies. */
import {
	eventSchema,
	secretSchema,
	urlSchema,
	webhookIdSchema,
	wholeNumber,
} from '../../../nodes/OutreachService/actions/values';
import { campaignIdSchema } from '../../../nodes/OutreachService/model/campaignId';
import { credentialSchema } from '../../../nodes/OutreachService/model/schemas';
import { timeOf } from '../../../nodes/OutreachService/model/time';
import { describeResponse } from '../../../nodes/OutreachService/api/messages';
import { retryAfter, waitAfterRateLimit } from '../../../nodes/OutreachService/api/retryTiming';

const HEADERS = ['retry-after', 'x-ratelimit-reset', 'date'];

const READERS: Array<[name: string, read: (text: string) => unknown]> = [
	...HEADERS.map((name): [string, (text: string) => unknown] => [
		`the header ${name}`,
		(text) => [
			retryAfter({ 'retry-after': '9999', [name]: text }),
			waitAfterRateLimit({ 'x-ratelimit-reset': text, date: text, [name]: text }),
		],
	]),
	...[200, 400, 409, 500].map((status): [string, (text: string) => unknown] => [
		`the body of a response with status ${status}`,
		(text) => describeResponse({ status, text }, 'api.test'),
	]),
	['a time', timeOf],
	['a Base URL', (baseUrl) => credentialSchema.safeParse({ baseUrl, apiKey: 'k' })],
	['a Campaign ID', (text) => campaignIdSchema.safeParse(text)],
	['a webhook ID', (text) => webhookIdSchema.safeParse(text)],
	['an event', (text) => eventSchema.safeParse(text)],
	['a target URL', (text) => urlSchema.safeParse(text)],
	['a secret', (text) => secretSchema.safeParse(text)],
	['a number', (text) => wholeNumber(0).safeParse(text)],
];

const LENGTH = 1_000_000;
const fill = (part: string): string => part.repeat(LENGTH / part.length);
const TEXTS = {
	digits: fill('1'),
	'digits and a colon': `${fill('1')}:`,
	'spaces in the middle': `x${fill(' ')}x`,
	slashes: `https://x.test${fill('/')}x`,
	'webhook paths': `https://x.test${fill('/hooks/')}\n`,
	'page beginnings': fill('<!--'),
};

/** The fastest of three runs, in milliseconds. */
function measure(run: () => unknown): number {
	const times = [1, 2, 3].map(() => {
		const startedAt = performance.now();
		run();
		return performance.now() - startedAt;
	});
	return Math.min(...times);
}

it.each(READERS)('Reading %s takes linear time', (_name, read) => {
	for (const text of Object.values(TEXTS)) {
		// Compares with reading every character 50 times on this machine; backtracking would take a million times as long.
		const linear = measure(() => {
			let sum = 0;
			for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
			return sum;
		});
		expect(measure(() => read(text))).toBeLessThan(50 * linear + 200);
	}
});
