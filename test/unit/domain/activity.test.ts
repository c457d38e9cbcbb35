/** Any activity can be parsed, in about the time that its text takes. */
import fc from 'fast-check';

import { ACTIVITY_FIELDS, activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { isJsonObject } from '../../../nodes/OutreachService/utils/json';
import { booleans, dates } from '../../field/values.json';

it('Of an activity with thousands of recipients, each is looked at once, and the first 1,000 are read', () => {
	let reads = 0;
	const recipient = (address: unknown): object => ({
		get address() {
			reads += 1;
			return address;
		},
		get name() {
			reads += 1;
			return '';
		},
	});
	const read = activitySchema.parse({
		to: Array.from({ length: 40_000 }, () => recipient(0)),
		cc: Array.from({ length: 20_000 }, () => recipient('a@b.c')),
	});
	expect([read.to.length, read.cc.length]).toEqual([0, 1_000]);
	// Checking every field of each took seconds for a million recipients, in which n8n could do nothing else.
	expect(reads).toBeLessThan(60_000 + 10 * 1_000);
});

const IDS = ['_id', 'type', 'teamId', 'campaignId', 'sequenceId', 'leadId', 'sendUserId'] as const;

it('Any activity can be parsed: each field has its documented type or is absent', () => {
	const names = ACTIVITY_FIELDS;
	const activity = fc.dictionary(
		fc.oneof(fc.constantFrom(...names, 'secret'), fc.string()),
		fc.oneof(fc.string(), fc.boolean(), fc.jsonValue(), fc.constant(Infinity)),
	);
	fc.assert(
		fc.property(activity, (given) => {
			const read = activitySchema.parse(given);
			expect(Object.keys(read)).toEqual(names);
			const { isThirdPartyReply, sequenceStep, to, cc, bcc, ...texts } = read;
			expect(typeof isThirdPartyReply).toBe('boolean');
			expect(sequenceStep === null || Number.isFinite(sequenceStep)).toBe(true);
			for (const { address, name } of [...to, ...cc, ...bcc]) {
				expect([typeof address, typeof name]).toEqual(['string', 'string']);
			}
			for (const text of Object.values(texts)) {
				expect(text === null || (text !== '' && text === text.trim())).toBe(true);
			}
			for (const name of IDS) {
				const value: unknown = Object.hasOwn(given, name) ? given[name] : undefined;
				// An object that has an ID: see below.
				if (isJsonObject(value) && ('_id' in value || 'id' in value)) continue;
				const isId = typeof value === 'string' || Number.isSafeInteger(value);
				expect(read[name]).toBe(isId ? String(value).trim() || null : null);
			}
		}),
	);
});

it.each(['teamId', 'campaignId', 'sequenceId', 'leadId', 'sendUserId'])(
	'The %s is that of the object which a service sends in its place',
	(name) => {
		const read = (value: unknown) => activitySchema.parse({ [name]: value })[name as 'leadId'];
		expect(read({ _id: ' cam_2 ', name: 'Spring' })).toBe('cam_2');
		expect(read({ id: 42 })).toBe('42');
		for (const without of [{}, { _id: '' }, { _id: { $oid: 'x' } }, ['cam_2'], true]) {
			expect(read(without)).toBeNull();
		}
		expect(activitySchema.parse({ _id: { _id: 'act_1' } })._id).toBeNull();
	},
);

it.each([
	['_id', '   ', null],
	['_id', ' act_1\n', 'act_1'],
	['_id', 4711, '4711'],
	['_id', 0, '0'],
	// Two larger ones may be the same number in JavaScript.
	['_id', 2 ** 53, null],
	['_id', 1.5, null],
	['leadId', false, null],
	['leadEmail', ' Ada@Example.com ', 'Ada@Example.com'],
	['sequenceStep', '2', 2],
	['sequenceStep', ' -1.5 ', -1.5],
	['sequenceStep', '0x10', null],
	['sequenceStep', '9'.repeat(400), null],
	['sequenceStep', null, null],
	...booleans.true.map((value) => ['isThirdPartyReply', value, true] as const),
	...booleans.false.map((value) => ['isThirdPartyReply', value, false] as const),
	...booleans.neither.map((value) => ['isThirdPartyReply', value, false] as const),
	['isThirdPartyReply', 'TRUE ', true],
	...Object.entries(dates.iso).map(([written, iso]) => ['createdAt', written, iso] as const),
	...dates.none.map((written) => ['createdAt', written, null] as const),
	['createdAt', `Sun, 01 Mar 2026 09:30:00 GMT (${'x'.repeat(68)})`, '2026-03-01T09:30:00.000Z'],
	['createdAt', `Sun, 01 Mar 2026 09:30:00 GMT (${'x'.repeat(69)})`, null],
	['to', { address: 'ada@example.com' }, []],
	['to', [{ address: 'A@b.c', name: null }, 'x'], [{ address: 'A@b.c', name: '' }]],
] as const)('The field %s with the value %j is read as %j', (field, value, expected) => {
	expect(activitySchema.parse({ [field]: value })[field]).toEqual(expected);
});
