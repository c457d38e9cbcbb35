/** A hostile service or a pasted text must not make a reader take longer than its length justifies. */
import { secretParameter, wholeNumber } from '../../../nodes/OutreachService/parameters/values';
import { urlSchema } from '../../../nodes/OutreachService/actions/webhook/create.operation';
import {
	eventSchema,
	webhookIdSchema,
} from '../../../nodes/OutreachService/actions/webhook/fields';
import { campaignIdSchema } from '../../../nodes/OutreachService/parameters/campaignId';
import { credentialSchema } from '../../../nodes/OutreachService/api/credential';
import { responseError } from '../../../nodes/OutreachService/api/response';
import { waitAskedFor } from '../../../nodes/OutreachService/api/rateLimit';
import { responseOf } from './responseOf';
import { interruptible } from '../interruptible';

const READERS: Array<[name: string, read: (text: string) => unknown]> = [
	...['retry-after', 'x-ratelimit-reset', 'date'].map(
		(name): [string, (text: string) => unknown] => [
			`the header ${name}`,
			(text) =>
				waitAskedFor({
					status: 429,
					headers: { 'x-ratelimit-reset': text, date: text, [name]: text },
				}),
		],
	),
	['the body of an error', (text) => responseError(responseOf(400, text), 'api.test')],
	['a Base URL', (baseUrl) => credentialSchema.safeParse({ baseUrl, apiKey: 'k' })],
	['a Campaign ID', (text) => campaignIdSchema.safeParse(text)],
	['a webhook ID', (text) => webhookIdSchema.safeParse(text)],
	['an event', (text) => eventSchema.safeParse(text)],
	['a target URL', (text) => urlSchema.safeParse(text)],
	['a secret', (text) => secretParameter.safeParse(text)],
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

it.each(READERS)('Reading %s ends soon', (_name, read) => {
	// Backtracking would take a million steps for each character.
	for (const text of Object.values(TEXTS)) interruptible(() => read(text));
});
