/** An item has what was delivered, and nothing on which *Only When* could wait in vain. */
import type { INodeProperties } from 'n8n-workflow';

import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { sampleActivity } from '../../../nodes/OutreachService/domain/sample';
import { chosenActivity } from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';
import { itemOf } from '../../../nodes/OutreachService/trigger/delivery/item';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { read } from './selections';

/** Each value that a switch or a list of an option offers. */
function valuesOf({ type, options: choices = [] }: INodeProperties): unknown[] {
	if (type === 'boolean') return [true, false];
	if (type !== 'options') return [];
	return choices.flatMap((choice) => ('value' in choice ? [choice.value] : []));
}

// With *Data Format: Grouped*, the item has other fields, and `parameters.test.ts` shows that those are refused.
const settings = options
	.filter(({ name }) => name !== 'output')
	.flatMap((option) => valuesOf(option).map((value) => ({ name: option.name, value })));

it('Options with switches and lists are tried', () => {
	expect(settings.length).toBeGreaterThan(10);
});

it.each(settings)(
	'With $name: $value, a field that the node adds to the activity is refused in a condition, because conditions are checked before it is added',
	({ name, value }) => {
		const selection = read(['emailsReplied'], { [name]: value });
		const delivered = sampleActivity('emailsReplied', {
			_id: 'act_1',
			createdAt: '2026-03-02T08:15:00.000Z',
		});
		const chosen = chosenActivity('emailsReplied', activitySchema.parse(delivered), {
			...delivered,
		});
		const { json } = itemOf(chosen, selection, 'off');
		const added = Object.keys(json).filter((field) => !(field in delivered));
		for (const field of added) {
			const condition = {
				leftValue: `${field}.any`,
				rightValue: 'a',
				operator: { type: 'string', operation: 'equals' },
			};
			const onlyWhen = { conditions: [condition], combinator: 'and' };
			expect(() => read(['emailsReplied'], { onlyWhen })).toThrow(/condition/i);
		}
	},
);
