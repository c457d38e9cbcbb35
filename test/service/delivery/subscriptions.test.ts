/**
 * Which webhooks get an activity from the local service, and in which form (§6). Against a local service and a receiver
 * that the test starts.
 */
import { EVENT_TYPES, sampleActivity, type HookFields } from '../../../tools/service/index';
import { receiver, service } from '../testing/fixture';
import type { SwitchChanges } from '../../../tools/service/index';

/** Starts a service with a webhook, and a receiver of its deliveries. */
async function subscribed(fields: Partial<HookFields> = {}, switches: SwitchChanges = {}) {
	const target = await receiver();
	const running = await service({ switches });
	const hook = running.addHook({ targetUrl: target.url, ...fields });
	const types = () => target.received.map(({ body }) => body.type);
	return { target, running, hook, types };
}

describe('§6 a delivery', () => {
	it('is a POST with the activity as JSON', async () => {
		const { target, running } = await subscribed();
		const activity = sampleActivity('emailsSent', 4);
		await running.emit(activity);
		expect(target.received).toHaveLength(1);
		expect(target.received[0]).toMatchObject({
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: activity,
		});
	});

	it('§6.4.5 has the secret of the webhook, if it has one', async () => {
		const { target, running } = await subscribed({ secret: 'h&sh "é"' });
		running.addHook({ targetUrl: `${target.url}/open` });
		running.addHook({ targetUrl: `${target.url}/empty`, secret: '' });
		await running.emit({ type: 'paused', secret: undefined });
		const bodyFor = (path: string) =>
			target.received.find((delivery) => delivery.path === path)?.body;
		expect(bodyFor('/hook')).toMatchObject({ secret: 'h&sh "é"' });
		expect(bodyFor('/hook/open')).not.toHaveProperty('secret');
		expect(bodyFor('/hook/empty')).not.toHaveProperty('secret');
	});
});

describe('§6.3 a webhook', () => {
	it('§6.3.1 without a type receives every event type', async () => {
		const { running, types } = await subscribed();
		for (const type of EVENT_TYPES) await running.emit({ type });
		expect(types()).toEqual(EVENT_TYPES);
	});

	it.each([
		['hooked', ['emailsOpened', 'networkOpened', 'messengerMessageOpened']],
		['attracted', ['emailsClicked', 'networkInviteAccepted']],
		['warmed', ['emailsReplied', 'networkReplied', 'messengerReplied', 'smsReplied']],
		[
			'interested',
			[
				'emailsInterested',
				'networkInterested',
				'dialerInterested',
				'apiInterested',
				'manualInterested',
			],
		],
		[
			'notInterested',
			[
				'emailsNotInterested',
				'networkNotInterested',
				'dialerNotInterested',
				'apiNotInterested',
				'manualNotInterested',
			],
		],
	])(
		'§6.1 with the state group %s receives its activities under their own types',
		async (group, members) => {
			const { running, types } = await subscribed({ type: group });
			for (const type of EVENT_TYPES) await running.emit({ type });
			expect(types().sort()).toEqual([group, ...members].sort());
		},
	);

	it('§6.1 with a state group receives the group as the type if groupDeliveryType is group', async () => {
		const { target, running, types } = await subscribed(
			{ type: 'warmed' },
			{ groupDeliveryType: 'group' },
		);
		running.addHook({ targetUrl: target.url, type: 'smsReplied' });
		await running.emit({ type: 'smsReplied' });
		expect(types().sort()).toEqual(['smsReplied', 'warmed']);
	});

	it('§6.3.2 with a campaign receives only the events of that campaign', async () => {
		const { target, running } = await subscribed({ campaignId: 'cam_mine' });
		await running.emit({ type: 'hooked', campaignId: 'cam_mine' });
		await running.emit({ type: 'hooked', campaignId: 'cam_other' });
		await running.emit({ type: 'connectionIssue' });
		expect(target.received.map(({ body }) => body.campaignId)).toEqual(['cam_mine']);
	});

	it.each([
		['lead', ['a', 'b', 'a']],
		['ignore', ['a', 'a', 'b', 'a', 'a']],
	] as const)(
		'§2.1 with isFirst receives the activities that isFirstScope %s selects',
		async (isFirstScope, expected) => {
			const { target, running } = await subscribed(
				{ isFirst: true, type: 'emailsOpened' },
				{ isFirstScope },
			);
			const open = async (leadId: string, campaignId: string) =>
				running.emit({ type: 'emailsOpened', leadId, campaignId });
			await running.emit({ type: 'emailsSent', leadId: 'a', campaignId: 'cam_1' });
			await open('a', 'cam_1');
			await open('a', 'cam_1');
			await open('b', 'cam_1');
			await open('a', 'cam_2');
			await open('a', 'cam_2');
			expect(target.received.map(({ body }) => body.leadId)).toEqual(expected);
		},
	);

	it('§6.3.3 receives nothing once it is deleted or disabled', async () => {
		const { target, running, hook } = await subscribed();
		const other = running.addHook({ targetUrl: target.url });
		running.removeHook(hook._id);
		running.disableHook(other._id);
		expect(await running.emit({ type: 'paused' })).toEqual([]);
		expect(target.received).toEqual([]);
	});

	it('§2.1 receives only the events of its team', async () => {
		const { target, running } = await subscribed();
		running.addHook({ targetUrl: `${target.url}/other`, team: 'tea_other' });
		await running.emit({ type: 'paused' });
		await running.emit({ type: 'resumed', teamId: 'tea_other' });
		expect(target.received.map(({ path, body }) => [path, body.type])).toEqual([
			['/hook', 'paused'],
			['/hook/other', 'resumed'],
		]);
	});
});
