/** How an activity is identified, together with the event for which it was delivered. */
import type { IDataObject } from 'n8n-workflow';

import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import {
	chosenActivity,
	eventKeyOf,
} from '../../../nodes/OutreachService/trigger/delivery/chosenActivity';

describe('The key of an event', () => {
	it('stays the same in every version, because workflows have sent it to other systems', () => {
		expect(eventKeyOf('warmed', 'emailsReplied', 'act_1')).toBe('wWlYUF4yzHzDhFxdCLxafg');
		expect(eventKeyOf('*', null, 'ü😀')).toBe('YgF_M5LKhlfX3Kc3EMiyYQ');
	});

	it('of an event without an ID is that of its content', () => {
		const keyOf = (json: IDataObject) =>
			chosenActivity('*', activitySchema.parse(json), json).eventKey;
		const [one, same, other] = ['lea_1', 'lea_1', 'lea_2'].map((leadId) => keyOf({ leadId }));
		expect([same, other === one]).toEqual([one, false]);
		expect(keyOf({ _id: 'act_sample_1' })).toMatch(/^sample-[\w-]{22}$/);
	});
});
