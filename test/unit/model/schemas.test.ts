import fc from 'fast-check';

import {
	activitySchema,
	credentialSchema,
	hookListSchema,
	hookSchema,
} from '../../../nodes/OutreachService/model/schemas';

it('A webhook keeps every field that it came with, known or not', () => {
	const extra = fc.dictionary(fc.stringMatching(/^x_\w+$/), fc.jsonValue());
	fc.assert(
		fc.property(extra, (fields) => {
			const hook = {
				_id: 'hoo_1',
				targetUrl: 'https://x.test',
				type: null,
				isFirst: true,
				...fields,
			};
			expect(hookSchema.parse(hook)).toEqual(hook);
		}),
	);
});

it.each([
	[{}],
	[{ _id: '', targetUrl: 'x' }],
	[{ _id: 'hoo_1' }],
	[{ _id: 1, targetUrl: 'x' }],
	[null],
	['x'],
	[[]],
])('%j is no webhook', (value) => {
	expect(hookSchema.safeParse(value).success).toBe(false);
	expect(hookListSchema.safeParse([value]).success).toBe(false);
});

it('An activity is read whatever it is like, as long as it is an object', () => {
	fc.assert(
		fc.property(
			fc.dictionary(
				fc.constantFrom('_id', 'type', 'campaignId', 'isThirdPartyReply', 'secret'),
				fc.jsonValue(),
			),
			(value) => {
				expect(activitySchema.safeParse(value).success).toBe(true);
			},
		),
	);
});

it('A credential loses blanks and final slashes, and nothing else', () => {
	const parsed = credentialSchema.parse({
		baseUrl: ' https://x.test:8443/a/api// ',
		apiKey: ' k\n',
	});
	expect(parsed).toEqual({ baseUrl: 'https://x.test:8443/a/api', apiKey: 'k' });
	expect(credentialSchema.parse({ baseUrl: 'http://[::1]:80/api', apiKey: 'k' }).baseUrl).toBe(
		'http://[::1]:80/api',
	);
});

it.each([
	'',
	'x.test',
	'ftp://x.test',
	'https://',
	'https:///api',
	'https://me@x.test',
	'https://x.test/?a',
	'https://x.test/#a',
	'https://x .test',
])('"%s" is no address of an API', (baseUrl) => {
	expect(credentialSchema.safeParse({ baseUrl, apiKey: 'k' }).success).toBe(false);
});
