/** What the error of an item, or the log, tells about the others. */
import type { IDataObject } from 'n8n-workflow';

import { describeChanges } from '../../../nodes/OutreachService/actions/execute';

const done = (index: number, ids: unknown[]) => ({
	index,
	operation: { changes: true },
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
});
