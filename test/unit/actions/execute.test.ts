/** What the error of an item, or the log, tells about the others; and what it must not show. */
import type { IDataObject } from 'n8n-workflow';
import fc from 'fast-check';

import {
	describeChanges,
	withoutSecrets,
	type Outcome,
} from '../../../nodes/OutreachService/actions/execute';

type Done = Extract<Outcome, { output: unknown }>;

const done = (index: number, ids: unknown[], operation: Done['operation'] = { changes: true }) => ({
	index,
	operation,
	output: ids.map((_id) => ({ _id }) as IDataObject),
});

describe('What completed items have changed', () => {
	it.each([
		['each of up to three webhooks', ['hoo_1', 'hoo_2', 'hoo_3'], 'hoo_1, hoo_2, hoo_3'],
		['the number of more webhooks', ['hoo_1', 'hoo_2', 'hoo_3', 'hoo_4'], '4 webhooks'],
		['nothing that has no ID', [undefined, 'hoo_1', 7], 'hoo_1'],
		['that there is no ID', [undefined], 'none'],
	])('names %s', (_, ids, expected) => {
		expect(describeChanges([done(0, ids)])).toBe(`Completed anyway: item 0 (${expected}).`);
	});

	it('names up to twenty items, and counts the others', () => {
		const items = Array.from({ length: 22 }, (_, index) => done(index, [`hoo_${index}`]));
		expect(describeChanges(items.slice(0, 20))).toMatch(/, item 19 \(hoo_19\)\.$/);
		expect(describeChanges(items)).toMatch(/, item 19 \(hoo_19\), 2 more\.$/);
	});

	it('is nothing for an operation that only reads, without output, or after a dry run', () => {
		const dryRun = { ...done(0, []), output: [{ _id: 'hoo_1', dryRun: true }, { _id: 'hoo_2' }] };
		expect(describeChanges([done(0, ['hoo_1'], {}), done(1, []), dryRun])).toBeUndefined();
	});
});

it('The parameters that an error shows hold no secret, and everything else', () => {
	const secret = fc.stringMatching(/^s3cret-[a-z]{8,30}$/);
	const others = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.nat()));
	fc.assert(
		fc.property(others, others, secret, (parameters, fields, value) => {
			expect(withoutSecrets({ ...parameters, additionalFields: fields })).toEqual({
				...parameters,
				additionalFields: fields,
			});
			const given = {
				...parameters,
				secret: value,
				additionalFields: { ...fields, secret: value },
			};
			expect(withoutSecrets(given)).toEqual({
				...parameters,
				secret: '(hidden)',
				additionalFields: { ...fields, secret: '(hidden)' },
			});
			expect(given.secret).toBe(value);
		}),
	);
});
