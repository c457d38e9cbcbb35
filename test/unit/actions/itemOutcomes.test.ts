/** The sentence about the items that were completed although another item failed. */
import type { IDataObject } from 'n8n-workflow';

import { ItemOutcomes } from '../../../nodes/OutreachService/actions/itemOutcomes';
import type { Operation } from '../../../nodes/OutreachService/actions/operation';
import { RequestError } from '../../../nodes/OutreachService/api/errors';

const operation = (more: Partial<Operation> = {}): Operation => ({
	value: 'any',
	name: 'Any',
	action: 'Any',
	description: 'Any',
	properties: [],
	changes: true,
	run: async () => [],
	...more,
});

const webhooks = (...ids: unknown[]): IDataObject[] => ids.map((_id) => ({ _id }) as IDataObject);

const failure = (sideEffects: string): Error =>
	RequestError.forResponse({ status: 400 }, { message: 'It failed', description: '' }).with({
		sideEffects,
	});

/** What is said after these items were completed. */
function said(...items: Array<[index: number, output: IDataObject[], more?: Partial<Operation>]>) {
	const itemOutcomes = new ItemOutcomes();
	for (const [index, output, more] of items) {
		itemOutcomes.add(index, { operation: operation(more), output });
	}
	return itemOutcomes.describe({ withFirst: true });
}

describe('The items that were completed', () => {
	it('are named in their own order, whichever was done first', () => {
		expect(said([2, webhooks('hoo_c')], [0, webhooks('hoo_a')], [1, webhooks('hoo_b')])).toBe(
			'Completed anyway: item 0 (hoo_a), item 1 (hoo_b), item 2 (hoo_c).',
		);
	});

	it('are named with up to three webhooks each, or else with their number', () => {
		expect(said([0, webhooks('hoo_1', 'hoo_2', 'hoo_3')])).toBe(
			'Completed anyway: item 0 (hoo_1, hoo_2, hoo_3).',
		);
		expect(said([0, webhooks('hoo_1', 'hoo_2', 'hoo_3', 'hoo_4')])).toBe(
			'Completed anyway: item 0 (4 webhooks).',
		);
	});

	it('are named without what has no ID', () => {
		expect(said([0, webhooks(undefined, 'hoo_1', 7)])).toBe('Completed anyway: item 0 (hoo_1).');
		expect(said([0, webhooks(undefined)])).toBe('Completed anyway: item 0 (none).');
	});

	it('are named up to twenty, and the others counted', () => {
		const items = Array.from({ length: 22 }, (_, index): [number, IDataObject[]] => [
			index,
			webhooks(`hoo_${index}`),
		]);
		expect(said(...items.slice(0, 20))).toMatch(/, item 19 \(hoo_19\)\.$/);
		expect(said(...items)).toMatch(/, item 19 \(hoo_19\), 2 more\.$/);
	});

	it('are followed by what is lost with their output', () => {
		const lostOutput = 'Their secrets are lost.';
		expect(said([0, webhooks('hoo_1')], [1, webhooks('hoo_2'), { lostOutput }])).toBe(
			'Completed anyway: item 0 (hoo_1), item 1 (hoo_2). Their secrets are lost.',
		);
	});

	it('do not include those that changed nothing', () => {
		expect(said([0, webhooks('hoo_1'), { changes: false }])).toBeUndefined();
		expect(said([0, []])).toBeUndefined();
		expect(said([0, [{ _id: 'hoo_1', dryRun: true }, { _id: 'hoo_2' }]])).toBeUndefined();
		expect(said()).toBeUndefined();
	});
});

describe('What failed items have left at the service', () => {
	const itemOutcomes = new ItemOutcomes();
	itemOutcomes.addFailure(3, failure('Three is left.'));
	itemOutcomes.addFailure(1, failure('One is left.'));
	itemOutcomes.addFailure(2, new Error('This one has left nothing'));

	it('is told in the order of the items, after those that were completed', () => {
		expect(itemOutcomes.describe({ withFirst: true })).toBe(
			'Item 1 failed: One is left. Item 3 failed: Three is left.',
		);
		const both = new ItemOutcomes();
		both.addFailure(1, failure('One is left.'));
		both.add(2, { operation: operation(), output: webhooks('hoo_2') });
		expect(both.describe({ withFirst: true })).toBe(
			'Completed anyway: item 2 (hoo_2). Item 1 failed: One is left.',
		);
	});

	it('is told without that of the first item, whose own error tells it', () => {
		expect(itemOutcomes.describe({ withFirst: false })).toBe('Item 3 failed: Three is left.');
	});
});
