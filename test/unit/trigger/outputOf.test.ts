/** Which event a delivery is for, and which pass the filters, whatever the service has filtered. */
import { activitySchema } from '../../../nodes/OutreachService/domain/activity';
import { outputOf } from '../../../nodes/OutreachService/parameters/chosenEvents';
import {
	chosenEvent,
	passesFilters,
} from '../../../nodes/OutreachService/trigger/delivery/applySelection';
import { read } from './selections';

const NAMED = ['emailsReplied', 'emailsUnsubscribed', 'warmed', 'brandNew'];
const SINGLE = { subscription: 'singleHook' };
const REST = { outputs: 'perEvent' };

const OTHERS = ['emailsReplied', '*', 'warmed'];

it.each<[string[], object, inUrl: string, type: string | null, event: string | undefined]>([
	[NAMED, {}, 'emailsReplied', 'emailsReplied', 'emailsReplied'],
	[NAMED, {}, 'emailsReplied', null, 'emailsReplied'],
	// What comes at the URL of another event does not come out there.
	[NAMED, {}, 'emailsReplied', 'emailsOpened', undefined],
	[NAMED, {}, 'emailsReplied', 'emailsUnsubscribed', 'emailsUnsubscribed'],
	[NAMED, {}, 'emailsReplied', 'warmed', 'warmed'],
	[NAMED, {}, 'invented', 'brandNew', 'brandNew'],
	[NAMED, {}, '*', null, undefined],
	// What can have another type than its event does.
	[NAMED, {}, 'emailsUnsubscribed', 'entityUnsubscribed', 'emailsUnsubscribed'],
	[NAMED, {}, 'warmed', 'emailsReplied', 'warmed'],
	[NAMED, {}, 'brandNew', 'emailsReplied', 'brandNew'],
	[NAMED, SINGLE, '*', 'emailsReplied', 'emailsReplied'],
	[NAMED, SINGLE, 'emailsReplied', 'emailsOpened', undefined],
	[NAMED, SINGLE, 'warmed', 'emailsReplied', 'warmed'],
	// Its own webhook delivers it, too.
	[NAMED, SINGLE, '*', 'warmed', undefined],
	[OTHERS, REST, 'emailsReplied', 'emailsOpened', '*'],
	[OTHERS, REST, '*', 'emailsReplied', 'emailsReplied'],
	[OTHERS, REST, '*', 'warmed', '*'],
	[OTHERS, REST, '*', null, '*'],
])(
	'With %j and %j, a delivery for %s with the type %s is for %s',
	(events, options, inUrl, type, event) => {
		expect(chosenEvent(inUrl, { type }, read(events, options))).toBe(event);
	},
);

it('The output of everything else is the last one, and without it, an event that is not selected has none', () => {
	const { events } = read(['emailsReplied', '*', 'warmed'], REST);
	expect(events).toEqual(['emailsReplied', 'warmed', '*']);
	expect(['emailsReplied', 'warmed', 'paused'].map((one) => outputOf(events, one))).toEqual([
		0, 1, 2,
	]);
	expect(outputOf(['warmed'], 'paused')).toBeUndefined();
});

const OF_CAMPAIGN = { campaignId: 'cam_1' };
const OF_ANOTHER = { campaignId: 'cam_2' };
/** It has left its campaign (§6.6, D80). */
const THIRD_PARTY = { isThirdPartyReply: true };
const WITHOUT_CAMPAIGN = {};
const ALL = [OF_CAMPAIGN, OF_ANOTHER, THIRD_PARTY, WITHOUT_CAMPAIGN];

it.each([
	[{}, ALL],
	[{ campaignId: 'cam_1' }, [OF_CAMPAIGN, THIRD_PARTY, WITHOUT_CAMPAIGN]],
	[{ campaignId: 'cam_1', thirdPartyReplies: 'only' }, [THIRD_PARTY]],
	[{ campaignId: 'cam_1', thirdPartyReplies: 'exclude' }, [OF_CAMPAIGN, WITHOUT_CAMPAIGN]],
])('With %j, these activities start the workflow: %j', (options, expected) => {
	const selection = read(['emailsReplied'], options);
	const passes = (one: object) => passesFilters(activitySchema.parse(one), selection);
	expect(ALL.filter(passes)).toEqual(expected);
});
