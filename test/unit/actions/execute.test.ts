/** What the error of an item, or the log, tells about the others; and what it must not show. */
import fc from 'fast-check';

import {
	describeChanges,
	unseenBeyond,
	withoutSecrets,
} from '../../../nodes/OutreachService/actions/execute';

const ids = (count: number) => Array.from({ length: count }, (_, n) => `hoo_${n}`);

describe('What items have changed', () => {
	it('names up to twenty webhooks of each of up to twenty items, and counts the others', () => {
		const [one, many] = [
			{ index: 0, done: ids(20), unseen: [], open: [] },
			{ index: 1, done: ids(22), unseen: [], open: [] },
		];
		expect(describeChanges([one, many])).toBe(
			`Completed anyway: item 0 (${ids(20).join(', ')}), item 1 (${ids(20).join(', ')}, 2 more).`,
		);
		const items = ids(22).map((id, index) => ({ index, done: [id], unseen: [], open: [] }));
		expect(describeChanges(items)).toMatch(/, item 19 \(hoo_19\), 2 more\.$/);
	});

	it('is nothing without a change, and says nothing twice', () => {
		expect(describeChanges([{ index: 0, done: [], unseen: [], open: [] }])).toBe('');
		const items = [
			{ index: 0, done: [], unseen: [], open: ['This.', 'This.', 'That.'] },
			{ index: 1, done: ['hoo_1'], unseen: [], open: ['This.'] },
		];
		expect(describeChanges(items)).toBe(
			'Completed anyway: item 1 (hoo_1). Item 0: This. Item 0: That. Item 1: This.',
		);
	});
});

it('Every webhook whose new secret nobody has seen is named, in texts of bounded length', () => {
	fc.assert(
		fc.property(fc.nat(1_500), (count) => {
			const items = ids(count).map((id, index) => ({
				index,
				done: [id],
				unseen: [id],
				open: [`Delete ${id}.`],
			}));
			const texts = [describeChanges(items), ...unseenBeyond(items)];
			const [, afterThem = ''] = texts.join(', ').split('so rotate them again: ');
			const named = new Set(afterThem.match(/hoo_\d+/g) ?? []);
			expect(ids(count).filter((id) => !named.has(id))).toEqual([]);
			for (const text of texts) expect(text.length).toBeLessThan(5_000);
		}),
	);
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
