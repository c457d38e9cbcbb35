import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { evaluateConditions } from '../../../nodes/OutreachService/trigger/delivery/conditions';
import { read } from './selections';

const ACTIVITY = {
	type: 'emailsOpened',
	campaignName: 'Spring 2026',
	sequenceStep: 2,
	isFirst: true,
	createdAt: '2026-03-01T08:00:00.000Z',
	lead: { email: 'ada@example.com' },
	to: [{ address: 'ada@example.com', name: 'Ada' }],
	tags: ['vip', 'partner'],
	empty: null,
	'dotted.name': 'yes',
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

const evaluate = (onlyWhen: unknown, activity: IDataObject = ACTIVITY) => {
	const selection = read(['emailsOpened'], { onlyWhen });
	return selection.onlyWhen && evaluateConditions(activity, selection.onlyWhen);
};

it.each<[field: string, operator: string, value: unknown, isMet: boolean]>([
	['campaignName', 'string:equals', 'spring 2026', true],
	['campaignName', 'string:equals', 'Autumn', false],
	['campaignName', 'string:notEquals', 'Autumn', true],
	['campaignName', 'string:contains', 'Spring', true],
	['campaignName', 'string:startsWith', 'Spring', true],
	['campaignName', 'string:endsWith', '2025', false],
	['campaignName', 'string:regex', '^Spring \\d{4}$', true],
	['campaignName', 'string:regex', '/^spring/', false],
	['campaignName', 'string:regex', '/^spring/i', true],
	['campaignName', 'string:notRegex', 'Spring', false],
	['campaignName', 'string:notRegex', 'spring', true],
	['campaignName', 'string:exists', '', true],
	['nothing', 'string:exists', '', false],
	['nothing', 'string:notExists', '', true],
	['nothing', 'string:equals', 'x', false],
	['sequenceStep', 'number:gt', 1, true],
	['sequenceStep', 'number:lte', '1', false],
	['sequenceStep', 'string:equals', '2', true],
	['isFirst', 'boolean:true', '', true],
	['isFirst', 'boolean:false', '', false],
	['createdAt', 'dateTime:after', '2026-01-01T00:00:00Z', true],
	['createdAt', 'dateTime:before', '2026-01-01T00:00:00Z', false],
	['lead.email', 'string:endsWith', '@example.com', true],
	[' lead.email ', 'string:equals', 'ada@example.com', true],
	['to.0.address', 'string:equals', 'ada@example.com', true],
	['tags', 'array:contains:any', 'vip', true],
	['tags', 'array:lengthGt:number', 2, false],
	['dotted.name', 'string:equals', 'yes', true],
])('A condition on %s (%s %j) is met: %s', (field, operator, value, isMet) => {
	expect(evaluate(filter([condition(field, operator, value)]))).toEqual({ ok: true, isMet });
});

it('Several conditions are combined with and, or with or', () => {
	const met = condition('sequenceStep', 'number:equals', 2);
	const missed = condition('campaignName', 'string:equals', 'Autumn');
	expect(evaluate(filter([met, missed], 'and'))).toEqual({ ok: true, isMet: false });
	expect(evaluate(filter([met, missed], 'or'))).toEqual({ ok: true, isMet: true });
});

it('A value that cannot be converted to the type of its condition cannot be evaluated', () => {
	const onlyWhen = filter([condition('lead.email', 'dateTime:after', '2026-01-01')]);
	expect(evaluate(onlyWhen)).toEqual({
		ok: false,
		reason: expect.stringContaining('ada@example.com') as string,
	});
});

it.each([
	['no condition', filter([])],
	['a condition without a field, as the editor adds one', filter([condition('', 'string:equals')])],
	['nothing', {}],
	['null', null],
])('A filter with %s lets every event through', (_, onlyWhen) => {
	expect(evaluate(onlyWhen)).toBeUndefined();
});

it('No field of an activity gets at what is not its own', () => {
	const fields = ['constructor', '__proto__', 'toString', 'to.length.x', 'lead.constructor'];
	for (const field of [...fields, 'campaignName.length', 'campaignName.0', 'empty.field']) {
		const exists = filter([condition(field, 'string:exists')]);
		expect([field, evaluate(exists)]).toEqual([field, { ok: true, isMet: false }]);
	}
});

it('Whatever an activity holds, conditions are met, missed or cannot be evaluated', () => {
	const operators = [
		...['string:equals', 'string:contains', 'string:regex', 'number:gt', 'number:equals'],
		...[
			'boolean:true',
			'dateTime:after',
			'array:contains:any',
			'array:lengthEquals:number',
			'object:empty',
		],
	];
	fc.assert(
		fc.property(
			fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue()),
			fc.constantFrom(...operators),
			fc.constantFrom('a', 'a.b', 'c.0'),
			fc.oneof(fc.string(), fc.integer(), fc.boolean()),
			(activity, operator, field, value) => {
				const onlyWhen = filter([condition(field, operator, value)]);
				const result = evaluate(onlyWhen, activity);
				expect(typeof result?.ok).toBe('boolean');
			},
		),
	);
});
