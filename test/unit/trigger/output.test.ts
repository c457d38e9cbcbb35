import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { grouped } from '../../../nodes/OutreachService/trigger/delivery/output';

const FIELDS = [
	...['_id', 'type', 'createdAt', 'teamId', 'isThirdPartyReply', 'campaignId', 'campaignName'],
	...['sequenceId', 'sequenceStep', 'leadId', 'leadEmail', 'leadFirstName', 'leadLastName'],
	...['sendUserId', 'sendUserEmail', 'sendUserName', 'subject', 'to', 'cc', 'bcc'],
];

const recipients = fc.array(fc.record({ address: fc.emailAddress(), name: fc.string() }));
const value = fc.oneof(fc.string(), fc.nat(), fc.boolean(), fc.constant(null), recipients);
const activity: fc.Arbitrary<IDataObject> = fc.dictionary(
	fc.oneof(fc.constantFrom(...FIELDS), fc.string()),
	value,
);

/** The fields of all groups with their values, such as `lead.email`. */
const leaves = (output: IDataObject): Array<[path: string, value: unknown]> =>
	Object.entries(output)
		.filter(([group]) => group !== 'activity')
		.flatMap(([group, fields]) =>
			Object.entries(fields ?? {}).map(([name, one]): [string, unknown] => [
				`${group}.${name}`,
				one,
			]),
		);

it('The grouped output has the same keys for every activity, and only values of the activity', () => {
	const keys = leaves(grouped({}, undefined)).map(([path]) => path);
	fc.assert(
		fc.property(activity, fc.option(fc.string(), { nil: undefined }), (given, subscription) => {
			const output = grouped(given, subscription);
			expect(output.activity).toBe(given);
			expect(leaves(output).map(([path]) => path)).toEqual(keys);
			const known = [...Object.values(given), null, false, []];
			for (const [path, found] of leaves(output)) {
				if (path === 'event.subscription') expect(found).toBe(subscription ?? null);
				else expect(known).toContainEqual(found);
			}
		}),
	);
});

it('Each field of an activity appears exactly once in the grouped output', () => {
	fc.assert(
		fc.property(fc.constantFrom(...FIELDS), fc.string({ minLength: 1 }), (name, text) => {
			const written = ['to', 'cc', 'bcc'].includes(name)
				? [{ address: text, name: '', since: 1 }]
				: ({ sequenceStep: 7, isThirdPartyReply: true }[name] ?? text);
			const empty = new Map(leaves(grouped({}, undefined)));
			const filled = leaves(grouped({ [name]: written }, undefined));
			const changed = filled.filter(([path, one]) => !Object.is(one, empty.get(path)));
			const values = changed.filter(([, one]) => !(Array.isArray(one) && one.length === 0));
			expect(values.map(([, one]) => one)).toEqual([written]);
		}),
	);
});
