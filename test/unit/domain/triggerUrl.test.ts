/** The target URL of a trigger's webhook says all of it, however a service or a proxy writes the URL (D29, D109). */
import fc from 'fast-check';

import { normalizeUrl } from '../../../nodes/OutreachService/domain/targetUrl';
import {
	baseIn,
	pathInN8n,
	routeIn,
	targetQuerySchema,
	targetUrlOf,
	triggerUrlIn,
} from '../../../nodes/OutreachService/domain/triggerUrl';
import { anyQuery } from '../../anyText';

const BASE = 'https://n8n.test/webhook/1/webhook';
const KEY = 'keyId=123456789abc';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const query = fc.record({
	event: text,
	campaignId: fc.option(text, { nil: undefined }),
	isFirst: fc.boolean(),
	keyId: fc.stringMatching(/^[\da-f]{12}$/),
});

it('A target URL says everything of its webhook, also if the service writes it in another way', () => {
	fc.assert(
		fc.property(query, (one) => {
			const url = targetUrlOf(BASE, one);
			const expected = { base: BASE, query: one };
			expect(triggerUrlIn(url)).toEqual(expected);
			expect(triggerUrlIn(normalizeUrl(url))).toEqual(expected);
			expect(triggerUrlIn(url.replace('https://n8n.test', 'HTTPS://N8N.test:443'))).toEqual(
				expected,
			);
			expect(targetQuerySchema.parse(Object.fromEntries(new URL(url).searchParams))).toEqual(one);
		}),
	);
});

describe('A listed URL', () => {
	it.each<[string, boolean]>([
		[`?event=*&${KEY}`, true],
		[`?event=warmed&campaign=cam_1&first=true&${KEY}`, true],
		[`?${KEY}&campaign=cam_1&event=warmed`, true],
		['?event=warmed&keyId=', false],
		[`?${KEY}`, false],
		[`?event=warmed&event=warmed&${KEY}`, false],
		[`?event=warmed&${KEY}&${KEY}`, false],
		[`?event=warmed&${KEY}&source=mine`, false],
		['', false],
	])("with the query %j is a trigger's: %s", (search, isTrigger) => {
		expect(triggerUrlIn(`${BASE}${search}`) !== undefined).toBe(isTrigger);
	});

	it.each(['campaign=', 'first=false'])(
		'with %s says the same as one without it, and has another text: a person has written it',
		(part) => {
			const { query: read } = triggerUrlIn(`${BASE}?event=warmed&${part}&${KEY}`) ?? {};
			expect(read && targetUrlOf(BASE, read)).toBe(`${BASE}?event=warmed&${KEY}`);
		},
	);

	it('never fails to be read, whatever it is', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string(),
					anyQuery.map((one) => `${BASE}?keyId=1&${one}`),
				),
				(url) => {
					expect(() => triggerUrlIn(url)).not.toThrow();
				},
			),
		);
	});
});

it('A base is shown without the login that WEBHOOK_URL may contain, and compared without it', () => {
	expect(baseIn('https://user:pass@N8N.test:443/webhook/1/webhook?event=a')).toBe(BASE);
});

it.each([
	['https://n8n.test/webhook/1/webhook', '1/webhook'],
	['https://n8n.test/n8n/webhook-test/1/webhook?event=a', '1/webhook'],
	['https://n8n.test/webhook/wf/my%20node/webhook', 'my node/webhook'],
	['not a URL', ''],
])('The route of %s is %j', (url, route) => {
	expect(routeIn(url)).toBe(route);
});

it.each([
	['https://n8n.test/n8n/webhook/1/webhook', 'https://N8N.test/n8n/rest', 'webhook/1/webhook'],
	['https://n8n.test/other/webhook/1/webhook', 'https://n8n.test/n8n/rest', undefined],
	['https://n8n.test/webhook/1', 'not a URL', undefined],
])('Below the n8n of a REST API, %s at %s is %s', (url, restApiUrl, path) => {
	expect(pathInN8n(url, restApiUrl)).toBe(path);
});

it.each([{}, { event: '' }, { event: ['warmed', 'hooked'] }])(
	'A call with the query %j counts as one to the webhook for all events',
	(given) => {
		expect(targetQuerySchema.parse(given)).toMatchObject({ event: '*' });
	},
);
