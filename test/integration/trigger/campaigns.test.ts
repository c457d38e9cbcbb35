/**
 * Campaign ID together with replies that left their campaign (§6.6, D80). The world is a local service and one trigger
 * in one process of n8n.
 */
import { useWorld } from '../support/world';

const world = useWorld();

const OF_CAMPAIGN = { type: 'emailsReplied', campaignId: 'cam_1' };
const OF_ANOTHER = { type: 'emailsReplied', campaignId: 'cam_2' };
const THIRD_PARTY = { type: 'emailsReplied', campaignId: undefined, isThirdPartyReply: true };
const WITHOUT_CAMPAIGN = { type: 'emailsReplied', campaignId: undefined };

/** Which of these events start the workflow. */
async function started(options: object, events: object[]): Promise<object[]> {
	const host = await world.activeTrigger(['emailsReplied'], { campaignId: 'cam_1', ...options });
	const passed: object[] = [];
	for (const event of events) {
		const before = host.started.length;
		await world.service.emit(event as { type: string });
		if (host.started.length > before) passed.push(event);
	}
	return passed;
}

const ALL = [OF_CAMPAIGN, OF_ANOTHER, THIRD_PARTY, WITHOUT_CAMPAIGN];

describe('With a campaign, the webhook for replies', () => {
	it('also delivers those of third parties that left the campaign, and the node drops those of others', async () => {
		expect(await started({}, ALL)).toEqual([OF_CAMPAIGN, THIRD_PARTY, WITHOUT_CAMPAIGN]);
		expect(world.webhooks).toEqual([expect.not.objectContaining({ campaignId: 'cam_1' })]);
	});

	it('delivers only those of third parties with Third-Party Replies: Only', async () => {
		expect(await started({ thirdPartyReplies: 'only' }, ALL)).toEqual([THIRD_PARTY]);
	});

	it.each([
		['Third-Party Replies: Exclude', { thirdPartyReplies: 'exclude' }, 'apply'],
		['First Event Only', { isFirst: true }, 'apply'],
		['Exclude, also where the service ignores it', { thirdPartyReplies: 'exclude' }, 'ignore'],
	] as const)('is tied to the campaign with %s', async (_, options, campaignFilter) => {
		world.service.setSwitches({ campaignFilter });
		expect(await started(options, [OF_ANOTHER, THIRD_PARTY, OF_CAMPAIGN])).toEqual([OF_CAMPAIGN]);
		const isFirst = 'isFirst' in options;
		expect(world.webhooks).toEqual([
			expect.objectContaining({ campaignId: 'cam_1', ...(isFirst ? { isFirst } : {}) }),
		]);
	});
});

describe('Third-Party Replies: Only', () => {
	it('is refused without an event that a third party can cause: the workflow would never start', async () => {
		const host = await world.trigger(['smsReplied', 'emailsBounced'], {
			thirdPartyReplies: 'only',
		});
		await expect(host.activate()).rejects.toThrow(
			"The value of 'Third-Party Replies' cannot be used. None of the selected events can be a reply from a third party",
		);
		expect(world.requests().filter((one) => one.startsWith('POST'))).toEqual([]);
	});
});
