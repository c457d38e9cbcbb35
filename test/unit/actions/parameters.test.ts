/** How fields of the action node are read: IDs from pasted URLs, and corrections of what is nearly right. */
import fc from 'fast-check';
import type { z } from 'zod';

import {
	booleanParameter,
	oneOf,
	secretParameter,
	wholeNumber,
} from '../../../nodes/OutreachService/parameters/values';
import { urlSchema } from '../../../nodes/OutreachService/actions/webhook/create.operation';
import {
	eventSchema,
	webhookIdSchema,
} from '../../../nodes/OutreachService/actions/webhook/fields';
import { filtersSchema } from '../../../nodes/OutreachService/actions/webhook/filters';
import { campaignIdSchema } from '../../../nodes/OutreachService/parameters/campaignId';
import { problemWithResult } from '../../../nodes/OutreachService/parameters/leftOut';
import { EVENT_TYPES } from '../../../nodes/OutreachService/domain/eventTypes';

it.each<[name: string, schema: z.ZodTypeAny]>([
	['A target URL', urlSchema],
	['An event', eventSchema],
	['A campaign ID', campaignIdSchema],
	['A secret', secretParameter],
	['A webhook ID', webhookIdSchema],
	['A boolean', booleanParameter],
	['A number', wholeNumber(1)],
	['A choice', oneOf(['a', 'b'])],
	['A filter', filtersSchema],
])('%s that is rejected comes with a reason, which never quotes it', (_, schema) => {
	const value = fc.oneof(fc.anything(), fc.string({ minLength: 12, unit: 'grapheme' }));
	fc.assert(
		fc.property(value, (given) => {
			const [issue] = schema.safeParse(given).error?.issues ?? [];
			fc.pre(issue !== undefined);
			expect(issue.message).toMatch(/^(Its? |The |An? |Invalid|Expected|Required)/);
			if (typeof given === 'string' && given.length > 9) expect(issue.message).not.toContain(given);
		}),
	);
});

it('A webhook ID is extracted from its URL, and is safe in a path', () => {
	for (const suffix of ['', '/', '?x=1', '/?x=1#y']) {
		expect(webhookIdSchema.parse(` https://a.test/api/hooks/hoo_1-x${suffix} `)).toBe('hoo_1-x');
	}
	const longest = 'x'.repeat(100);
	expect(webhookIdSchema.parse(longest)).toBe(longest);
	expect(webhookIdSchema.safeParse(`${longest}x`).success).toBe(false);
	fc.assert(
		fc.property(fc.string(), (text) => {
			const { data } = webhookIdSchema.safeParse(text);
			if (data !== undefined) expect(encodeURIComponent(data)).toBe(data);
		}),
	);
});

const LONGEST_URL = 'https://a.test/'.padEnd(2_000, 'x');

const EMPTY = 'A part of it is empty. Check the result of each expression in it';

const reasonFor = (schema: z.ZodTypeAny, given: unknown) =>
	schema.safeParse(given).error?.issues[0]?.message;

it.each<[given: unknown, schema: z.ZodTypeAny, expected: string]>([
	[1.5, wholeNumber(1), 'It must be a whole number'],
	['0', wholeNumber(1), 'It must be a number of at least 1'],
	['maybe', booleanParameter, 'It must be true or false'],
	[7, urlSchema, 'It must be text'],
	['', urlSchema, 'It is empty'],
	[`${LONGEST_URL}x`, urlSchema, 'It has more than 2000 characters'],
	['http:///in', urlSchema, 'It has no host'],
	['HTTPS://?event=warmed', urlSchema, 'It has no host'],
	...['https://crm.test//in', 'https://crm.test/in?token=&a=1', 'https://crm.test/%20/in'].map(
		(url): [string, z.ZodTypeAny, string] => [url, urlSchema, EMPTY],
	),
	['https://a.test/a b', urlSchema, 'It is not a valid URL'],
	...['http', 'tps:/', 'S', '://', 'HTTPS://', ' . '].map(
		(targetUrl): [object, z.ZodTypeAny, string] => [
			{ targetUrl },
			filtersSchema,
			'It is a part of any URL. Enter the name of a host, or leave the filter out',
		],
	),
	['warmd', eventSchema, "The service has no event type 'warmd'. Did you mean 'warmed'?"],
	['**', eventSchema, "It must be an event type such as emailsReplied, or '*' for all events"],
	['hoo/1', webhookIdSchema, 'It must be an ID such as hoo_4fT9x or the API URL of a webhook'],
])('The reason for rejecting %j says what is wrong', (given, schema, expected) => {
	expect(reasonFor(schema, given)).toBe(expected);
});

it.each<[name: string, schema: z.ZodTypeAny, values: unknown[]]>([
	[
		'target URL',
		urlSchema,
		['   ', 'crm.test/in', 'ftp://crm.test', 'javascript:alert(1)', 42, {}],
	],
	['target URL with a hole', urlSchema, ['http://', 'https:///in', 'https://{{ $json.gone }}/in']],
	['event', eventSchema, ['', 'emails replied', 'skipped', 'opportunitiesDone', '<script>', []]],
	['number', wholeNumber(0), ['many', -1, 1.5, '1e3', '99999999999999999999', NaN, []]],
	['boolean', booleanParameter, ['perhaps', 2, []]],
	['secret', secretParameter, [' blank', 'line\n', 42, []]],
	[
		'webhook ID',
		webhookIdSchema,
		['', '..', '../hooks', 'hoo_1/../../x', 'hoo_1?x=1', 'hoo_1%2f..'],
	],
	['webhook URL', webhookIdSchema, ['https://x.test/other/hoo_1', 'https://x.test/hooks/..']],
	['text with one', webhookIdSchema, ['see https://x.test/hooks/hoo_1', 'hoo 1']],
])('No %s is accepted that would mean something else to the service', (_, schema, values) => {
	expect(values.filter((value) => schema.safeParse(value).success)).toEqual([]);
});

it.each([
	'https://crm.test/in?flag',
	'https://[2001:db8::1]/in',
	'https://crm.test/in/',
	LONGEST_URL,
])('A target URL is accepted that has no empty part, and is not too long, as it is: %s', (url) => {
	expect(urlSchema.parse(url)).toBe(url);
});

it.each([
	'undefined',
	'null\n',
	'cam_null',
	['cam_1', 'cam_null'],
	'https://undefined:443/in',
	'https://user@[object Promise]:8080/in',
	'https://undefined.example.com/in',
	'https://crm.test/lead_null/in',
	'https://crm.test/in?token=NaN',
	'https://crm.test/%5Bobject%20Object%5D',
])('A part that an expression leaves when it returns nothing is found in %j', (result) => {
	expect(problemWithResult('={{ x }}', result)).toMatch(/^A part of it is undefined, null or NaN/);
});

it.each(['https://nullable.example/in', 'https://crm.test/undefinedness/', 'is null', 0, {}, [1]])(
	'None is found in %j',
	(result) => {
		expect(problemWithResult('={{ x }}', result)).toBeUndefined();
	},
);

const GAP = 'One of its expressions returns nothing. Check the result of each';

it('An expression that returns nothing is found among any other text, and none is found where each returns something', () => {
	const text = fc.stringMatching(/^[a-z/ ]{0,4}[a-z/]$/);
	const result = fc.stringMatching(/^\d{0,3}$/);
	const parts = fc.array(fc.tuple(result, text), { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(text, parts, fc.boolean(), (first, others, isAtEnd) => {
			const end = isAtEnd ? '{{ x }}' : '';
			const template =
				`=${first}${others.map(([, after]) => `{{ x }}${after}`).join('')}${end}` as const;
			const value = first + others.flat().join('');
			const isGap = isAtEnd || others.some(([returned]) => returned === '');
			expect(problemWithResult(template, value)).toEqual(isGap ? GAP : undefined);
			// Without an expression, and for a result that was made in another way.
			expect(problemWithResult(`=${value}`, value)).toBeUndefined();
			expect(problemWithResult(template, `?${value}`)).toBeUndefined();
		}),
	);
});

it('An event that the service has, or may have added, is none that is misspelled', () => {
	for (const type of [...EVENT_TYPES, '*', 'emailsForwarded', 'smsOpened', 'dialerStarted']) {
		expect(eventSchema.parse(type)).toBe(type);
	}
});
