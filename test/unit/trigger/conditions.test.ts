/** Only When: what each operator makes of whatever an activity holds. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { safeRegex } from 'n8n-workflow';

import {
	evaluateConditions,
	missText,
	OPERATIONS,
} from '../../../nodes/OutreachService/domain/conditions';
import { booleans, customFields } from '../../field/values.json';
import { read } from './selections';

const ACTIVITY = {
	type: 'emailsOpened',
	campaignName: 'Spring 2026',
	sequenceStep: 2,
	isFirst: true,
	createdAt: '2026-03-01T08:00:00.000Z',
	sentAt: '2025-03-20 14:32:34+0100',
	owner: { email: 'ada@example.com' },
	to: [{ address: 'ada@example.com', name: 'Ada' }],
	'to[0].name': 'not Ada',
	tags: ['vip', 'partner'],
	empty: null,
	blank: ' ',
	'dotted.name': 'yes',
	lead: { variables: { 'a.b': { 'c.d': 'deep' } } },
};

/** A condition as n8n's editor stores it: field, operator and value. */
const condition = (field: unknown, operator: string, rightValue: unknown = '') => {
	const [type = '', operation = '', rightType] = operator.split(':');
	return { id: 'c', leftValue: field, operator: { type, operation, rightType }, rightValue };
};

const filter = (conditions: unknown[], combinator: 'and' | 'or' = 'and') => ({
	conditions,
	combinator,
	options: { caseSensitive: false, leftValue: '', typeValidation: 'loose', version: 2 },
});

const evaluate = (onlyWhen: unknown, activity: IDataObject = ACTIVITY, timeZone = 'UTC') => {
	const selection = read(['emailsOpened'], { onlyWhen });
	return selection.onlyWhen && evaluateConditions(activity, selection.onlyWhen, timeZone);
};

it.each<[field: string, operator: string, value: unknown, isMet: boolean]>([
	['campaignName', 'string:equals', 'spring 2026', true],
	['campaignName', 'string:regex', '/^spring/', false],
	['campaignName', 'string:regex', '/^spring/i', true],
	['campaignName', 'string:notRegex', 'spring', true],
	['nothing', 'string:exists', '', false],
	['blank', 'number:lt', '1', false],
	['blank', 'dateTime:notExists', '', true],
	['sequenceStep', 'number:lte', '1', false],
	['sequenceStep', 'string:equals', '2', true],
	['createdAt', 'dateTime:after', '2026-01-01T00:00:00Z', true],
	// Which dates are read: `unit/domain/activity.test.ts`.
	['sentAt', 'dateTime:equals', '2025-03-20T13:32:34Z', true],
	['owner.email', 'string:endsWith', '@example.com', true],
	['tags', 'array:contains:any', 'vip', true],
	['dotted.name', 'string:equals', 'yes', true],
	['={{ $json.owner?.email }}', 'string:equals', 'ada@example.com', true],
	['={{ $json.lead.variables["a.b"]["c.d"] }}', 'string:equals', 'deep', true],
	['to[0].address', 'string:equals', 'ada@example.com', true],
	// A field with that very name goes before the path.
	['to[0].name', 'string:equals', 'not Ada', true],
])('A condition on %s (%s %j) is met: %s', (field, operator, value, isMet) => {
	expect(evaluate(filter([condition(field, operator, value)]))).toMatchObject({ isMet });
});

it.each([
	undefined,
	{ type: 'string' },
	// n8n takes it for a condition that is never met.
	{ type: 'string', operation: 'after' },
	{ type: 'object', operation: 'equals' },
])(
	'A condition with the operator %j, which cannot be read, is refused: without it, every event would start the workflow',
	(operator) => {
		const readable = condition('campaignName', 'string:equals', 'Spring');
		const onlyWhen = filter([readable, { ...readable, operator }]);
		expect(() => evaluate(onlyWhen)).toThrow(
			"The value of 'Only When' cannot be used. A condition has an operator that cannot",
		);
	},
);

it('The name of a field never reads an inherited property', () => {
	const fields = ['constructor', '__proto__', 'toString', 'to.length.x', 'lead.constructor'];
	for (const field of [...fields, 'owner.email.length', 'tags.0.0', 'empty.field']) {
		const exists = filter([condition(field, 'string:exists')]);
		expect([field, evaluate(exists)?.isMet]).toEqual([field, false]);
	}
});

/** The comparisons of a boolean that a value meets. */
const metBy = (value: unknown, right: unknown): string[] =>
	['true', 'false', 'equals', 'notEquals'].filter((operation) => {
		const asked = filter([condition('isCustomer', `boolean:${operation}`, right)]);
		return evaluate(asked, { isCustomer: value } as IDataObject)?.isMet;
	});

it('A boolean is what it says, on both sides', () => {
	const said = [
		...booleans.true.map((one) => [one, true]),
		...booleans.false.map((one) => [one, false]),
	];
	for (const [value, is] of said) {
		for (const [right, should] of said) {
			const expected = [is ? 'true' : 'false', is === should ? 'equals' : 'notEquals'];
			expect([value, right, metBy(value, right)]).toEqual([value, right, expected]);
		}
	}
});

it.each<unknown>([...booleans.neither, ' ', 2, ['true'], {}])(
	'%j says neither true nor false: it meets no comparison, and the reason is told',
	(value) => {
		expect(metBy(value, 'yes')).toEqual([]);
		const asked = filter([condition('isCustomer', 'boolean:notEquals', 'yes')]);
		const [miss] = evaluate(asked, { isCustomer: value } as IDataObject)?.misses ?? [];
		expect(miss?.reason).toBe('it is neither true nor false');
	},
);

it('A boolean on the right side that says neither true nor false is refused', () => {
	expect(() => evaluate(filter([condition('bot', 'boolean:equals', 'maybe')]))).toThrow(
		"The right side of the condition on 'bot' cannot be used: it is neither true nor false",
	);
});

it.each(customFields)('The field %j is read by its name, and by the expression of n8n', (name) => {
	for (const field of [name, `={{ $json["${name}"] }}`]) {
		const asked = filter([condition(field, 'string:equals', 'x')]);
		expect(evaluate(asked, { [name]: 'x' })?.isMet).toBe(true);
		const twice = filter([
			condition(field, 'string:equals', 'x'),
			condition(field, 'string:exists'),
		]);
		expect(evaluate(twice, { other: 'x' })?.absentFields).toEqual([name]);
		const absent = filter([condition(field, 'string:notExists')]);
		expect(evaluate(absent, { other: 'x' })?.absentFields).toEqual([]);
		expect(evaluate(twice, { [name]: null })?.absentFields).toEqual([]);
	}
});

it.each<[field: string, operator: string, value: unknown, text: string]>([
	[
		'campaignName',
		'string:contains',
		'Q3',
		"campaignName is 'Spring 2026', which does not contain 'Q3'",
	],
	['type', 'string:startsWith', 'Q3', "type is 'emailsOpened', which does not start with 'Q3'"],
	['sequenceStep', 'number:gt', '2', "sequenceStep is 2, which is not greater than '2'"],
	['tags', 'array:contains:any', 'x', 'tags is ["vip","partner"], which does not contain \'x\''],
	['lead.score', 'number:gt', '50', 'there is no lead.score'],
	['empty', 'string:exists', '', 'empty is null, which counts as absent'],
])('A condition on %s (%s %j) that is missed reads: %4$s', (field, operator, value, text) => {
	const misses = evaluate(filter([condition(field, operator, value)]))?.misses ?? [];
	expect(misses.map(missText)).toEqual([text]);
});

/** What is said of a miss, and what is said of a miss of the opposite operation. */
const OPPOSITES: Array<[said: string, opposite: string]> = [
	['contains', 'does not contain'],
	['starts with', 'does not start with'],
	['ends with', 'does not end with'],
	['matches', 'does not match'],
	['has the length', 'does not have the length'],
	...['greater than', 'less than', 'longer than', 'shorter than', 'after', 'before'].map(
		(than): [string, string] => [`is ${than}`, `is not ${than}`],
	),
];

it.each<[type: keyof typeof OPERATIONS, operation: string, opposite: string]>([
	['string', 'contains', 'notContains'],
	['string', 'startsWith', 'notStartsWith'],
	['string', 'endsWith', 'notEndsWith'],
	['string', 'regex', 'notRegex'],
	['array', 'contains', 'notContains'],
	['array', 'lengthEquals', 'lengthNotEquals'],
	['array', 'lengthGt', 'lengthLte'],
	['array', 'lengthLt', 'lengthGte'],
	['number', 'gt', 'lte'],
	['number', 'lt', 'gte'],
	['dateTime', 'after', 'beforeOrEquals'],
	['dateTime', 'before', 'afterOrEquals'],
])(
	'A %s that misses %s is described as the opposite of one that misses %s',
	(type, operation, opposite) => {
		const { [operation]: said, [opposite]: otherwise } = OPERATIONS[type];
		expect(OPPOSITES).toContainEqual([otherwise, said]);
	},
);

it('A condition that cannot be evaluated says why, and a long value is shortened', () => {
	const onlyWhen = filter([condition('subject', 'number:gt', '1')]);
	const [miss] = evaluate(onlyWhen, { subject: 'x'.repeat(200_000) })?.misses ?? [];
	const text = miss === undefined ? '' : missText(miss);
	expect(text).toMatch(/^subject is 'x{98}…, which cannot be compared \(Conversion error: /);
	expect(text.length).toBeLessThan(500);
});

const MET = condition('type', 'string:equals', 'emailsOpened');
const MISSED = condition('type', 'string:equals', 'emailsSent');
const NO_DATE = condition('owner.email', 'dateTime:after', '2026-01-01');

it.each([
	['and', [MET, MISSED], false],
	['or', [MET, MISSED], true],
	['or', [MISSED, MET, MISSED], true],
	// One that cannot be evaluated leaves the others of an OR alone, and is the reason when none of them is met.
	['or', [NO_DATE, MET], true],
	['or', [MET, NO_DATE], true],
	['or', [NO_DATE, MISSED], false],
	['and', [MET, NO_DATE], false],
] as const)('Several conditions are combined with %s', (combinator, conditions, isMet) => {
	const result = evaluate(filter([...conditions], combinator));
	expect(result?.isMet).toBe(isMet);
	const reasons = result?.misses.map(({ reason }) => reason) ?? [];
	const isUnreadable = conditions.some((one) => one === NO_DATE);
	if (!isMet) expect(reasons.includes('it is not a date')).toBe(isUnreadable);
});

it.each([
	['UTC', 0, 1],
	['Asia/Tokyo', 9, 1],
	['America/New_York', -4, 1],
	['Pacific/Kiritimati', 14, 1],
	// n8n stores such time zones, too: some other one counts.
	['DEFAULT', 0, 48],
	['UTC+2', 0, 48],
])(
	'A date without a zone, on either side, is in the time zone of the workflow: %s',
	(zone, offset, hours) => {
		const local = '2026-06-15T12:00:00';
		const exact = (distance: number) =>
			new Date(Date.parse(`${local}Z`) + (distance - offset) * 3_600_000).toISOString();
		const isAfter = (createdAt: string, right: string) =>
			evaluate(filter([condition('createdAt', 'dateTime:after', right)]), { createdAt }, zone)
				?.isMet;
		expect([isAfter(exact(hours), local), isAfter(exact(-hours), local)]).toEqual([true, false]);
		expect([isAfter(local, exact(hours)), isAfter(local, exact(-hours))]).toEqual([false, true]);
	},
);

it.each([
	[1, { isMet: true, misses: [] }],
	[2, { isMet: false, misses: [{ reason: expect.stringContaining('timed out') as string }] }],
])(
	'A regex that n8n stops %d times, because a busy machine has not got to it in time, is tried once more: %j',
	(times, expected) => {
		const regex = condition('campaignName', 'string:notRegex', '/\\btest\\b/i');
		// It is evaluated once when it is read.
		const conditions = read(['emailsOpened'], { onlyWhen: filter([regex]) }).onlyWhen;
		const test = jest.spyOn(safeRegex, 'test');
		for (let time = 0; time < times; time++) {
			test.mockImplementationOnce(() => {
				throw new Error('Regular expression execution timed out');
			});
		}
		expect(conditions && evaluateConditions(ACTIVITY, conditions, 'UTC')).toMatchObject(expected);
		jest.restoreAllMocks();
	},
);

describe('A field that an event does not have', () => {
	const isMet = (one: string, value: string, activity: IDataObject = ACTIVITY) =>
		evaluate(filter([condition('nothing', one, value)]), activity)?.isMet;

	it('counts as an empty text, and as a list without elements', () => {
		const right = fc.constantFrom('', 'a', '.', '^$', '.+');
		const operations = ['equals', 'contains', 'startsWith', 'endsWith', 'regex', 'empty'];
		const opposites = operations.map((one) => `not${one[0]?.toUpperCase() ?? ''}${one.slice(1)}`);
		const texts = fc.constantFrom(...operations, ...opposites);
		fc.assert(
			fc.property(texts, right, (operation, value) => {
				const one = `string:${operation}`;
				expect(isMet(one, value)).toBe(isMet(one, value, { ...ACTIVITY, nothing: '' }));
			}),
		);
		const lists = ['contains:any', 'notContains:any', 'empty', 'notEmpty'].map((one) => [one, 'a']);
		const lengths = ['Equals', 'NotEquals', 'Gt', 'Gte', 'Lt', 'Lte'].flatMap((one) =>
			['0', '1'].map((value) => [`length${one}:number`, value]),
		);
		for (const [operation = '', value = ''] of [...lists, ...lengths]) {
			const one = `array:${operation}`;
			expect([one, value, isMet(one, value)]).toEqual([
				one,
				value,
				isMet(one, value, { ...ACTIVITY, nothing: [] }),
			]);
		}
	});

	it.each([
		['number', '1', 'gt gte lt lte', 'notExists empty notEquals'],
		['boolean', 'true', 'true false', 'notExists empty notEquals false'],
		['dateTime', '2026-01-01', 'after afterOrEquals before beforeOrEquals', 'notExists empty'],
	])('meets few conditions for a %s', (type, value, comparisons, met) => {
		const operations = `exists notExists empty notEmpty equals notEquals ${comparisons}`.split(' ');
		const actual = operations.filter((operation) => isMet(`${type}:${operation}`, value));
		expect(actual.sort()).toEqual(met.split(' ').sort());
	});
});
