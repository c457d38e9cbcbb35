/** An item has what was delivered, and nothing on which *Only When* could wait in vain. */
import type { INodeProperties } from 'n8n-workflow';

import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { sampleActivity } from '../../../nodes/OutreachService/domain/sample';
import { chosenActivity } from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';
import { itemOf } from '../../../nodes/OutreachService/trigger/delivery/item';
import { options } from '../../../nodes/OutreachService/trigger/description/options';
import { settleSync } from '../../../nodes/OutreachService/utils/settle';
import { read } from './selections';

/** Each value that a switch or a list of an option offers. */
function valuesOf({ type, options: choices = [] }: INodeProperties): unknown[] {
	if (type === 'boolean') return [true, false];
	if (type !== 'options') return [];
	return choices.flatMap((choice) => ('value' in choice ? [choice.value] : []));
}

// With *Data Format: Grouped*, the item has other fields, and `parameters.test.ts` shows that those are refused.
const settings = options
	.flatMap((option) => valuesOf(option).map((value) => ({ name: option.name, value })))
	.filter(({ value }) => value !== 'grouped');

/** Whether a condition may name a field. */
function isAccepted(field: string): boolean {
	const condition = {
		leftValue: field,
		rightValue: 'a',
		operator: { type: 'string', operation: 'equals' },
	};
	const onlyWhen = { conditions: [condition], combinator: 'and' };
	return settleSync(() => read(['emailsReplied'], { onlyWhen })).ok;
}

it('A condition may name a field of the activity, and none of the request', () => {
	expect([isAccepted('campaignName'), isAccepted('headers.any')]).toEqual([true, false]);
	expect(settings.length).toBeGreaterThan(10);
});

it.each(settings)(
	'With $name: $value, a condition may name no field that the node adds after it has checked the conditions',
	({ name, value }) => {
		const selection = read(['emailsReplied'], { [name]: value });
		const delivered = sampleActivity('emailsReplied', {
			_id: 'act_1',
			createdAt: '2026-03-02T08:15:00.000Z',
		});
		const json = { ...delivered };
		const chosen = chosenActivity('emailsReplied', activitySchema.parse(delivered), json);
		const item = itemOf(chosen, selection, 'off');
		const added = Object.keys(item.json).filter((field) => !(field in delivered));
		expect(added.filter((field) => isAccepted(`${field}.any`))).toEqual([]);
	},
);
