/** What the error of an item, or the log, tells about what the items have changed. */
import { describeChanges, type ItemChanges } from '../../../nodes/OutreachService/actions/changes';

const ids = (count: number) => Array.from({ length: count }, (_, number) => `hoo_${number}`);

const changesOf = (index: number, changes: Partial<ItemChanges>): ItemChanges => ({
	index,
	done: [],
	consequences: [],
	...changes,
});

describe('What items have changed', () => {
	it('names up to twenty webhooks of each of up to twenty items, and counts the others', () => {
		const [one, many] = [changesOf(0, { done: ids(20) }), changesOf(1, { done: ids(21) })];
		expect(describeChanges([one, many])).toBe(
			`Already carried out: item 0 (${ids(20).join(', ')}), item 1 (${ids(20).join(', ')}, 1 more).`,
		);
		const items = ids(22).map((id, index) => changesOf(index, { done: [id] }));
		expect(describeChanges(items)).toMatch(/, item 19 \(hoo_19\), 2 more\.$/);
	});

	it('is nothing without a change, and says nothing twice', () => {
		expect(describeChanges([changesOf(0, {})])).toBe('');
		const items = [
			changesOf(0, { consequences: ['This.', 'This.', 'That.'] }),
			changesOf(1, { done: ['hoo_1'], consequences: ['This.'] }),
		];
		expect(describeChanges(items)).toBe(
			'Already carried out: item 1 (hoo_1). Item 0: This. Item 0: That. Item 1: This.',
		);
	});

	it('does not repeat what the error says of its own item', () => {
		const items = [
			changesOf(0, { consequences: ['Other.', 'This.'] }),
			changesOf(1, { consequences: ['This.'] }),
		];
		const text = 'It failed. This. Try again.';
		expect(describeChanges(items, { itemIndex: 0, text })).toBe('Item 0: Other. Item 1: This.');
		expect(describeChanges(items, { itemIndex: 1, text })).toBe('Item 0: Other. Item 0: This.');
		expect(describeChanges(items)).toBe('Item 0: Other. Item 0: This. Item 1: This.');
	});

	it('names every consequence', () => {
		const items = ids(500).map((id, index) =>
			changesOf(index, { consequences: [`Rotate ${id}.`] }),
		);
		expect(describeChanges(items)).toBe(
			ids(500)
				.map((id, index) => `Item ${index}: Rotate ${id}.`)
				.join(' '),
		);
	});
});
