import { EVENT_TYPES, sampleActivity, type EventType } from '../../../tools/service';
import { World } from './world';

let world: World;
beforeEach(async () => {
	world = await World.start();
});
afterEach(async () => {
	await world.end();
});

describe('A delivery', () => {
	it('becomes one item: the activity as it came, unknown fields kept, without the secret', async () => {
		const host = await world.trigger(['emailsReplied']);
		await host.activate();
		const sent = {
			...sampleActivity('emailsReplied', 7),
			brandNew: { deep: [1, null] },
			subject: 5,
		};
		const [attempt] = await world.service.emit(sent, { exact: true });
		expect(attempt?.status).toBe(200);
		expect(host.started).toEqual([{ json: sent }]);
	});

	it('of a lead state is taken with either reading of its type', async () => {
		const host = await world.trigger(['warmed']);
		await host.activate();
		await world.service.emit({ type: 'smsReplied' });
		world.service.setSwitches({ groupDeliveryType: 'group' });
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started.map(({ json }) => json.type)).toEqual(['smsReplied', 'warmed']);
	});
});

describe('What was not asked for is answered with 200 and starts nothing', () => {
	it('another campaign, when the service ignores that filter', async () => {
		world.service.setSwitches({ campaignFilter: 'ignore' });
		const host = await world.trigger(['emailsReplied'], { campaignId: 'cam_mine' });
		await host.activate();
		const emit = async (campaignId: string | undefined) =>
			await world.service.emit({ type: 'emailsReplied', campaignId });
		const attempts = [await emit('cam_other'), await emit('cam_mine'), await emit(undefined)];
		expect(attempts.map(([attempt]) => attempt?.status)).toEqual([200, 200, 200]);
		expect(host.started.map(({ json }) => json.campaignId)).toEqual(['cam_mine', undefined]);
	});

	it('but a third-party reply passes the campaign filter, whatever campaign it names', async () => {
		world.service.setSwitches({ campaignFilter: 'ignore' });
		const host = await world.trigger(['emailsReplied'], { campaignId: 'cam_mine' });
		await host.activate();
		const reply = { type: 'emailsReplied', isThirdPartyReply: true } as const;
		for (const campaignId of ['cam_other', undefined, 'cam_mine']) {
			await world.service.emit({ ...reply, campaignId });
		}
		expect(host.started.map(({ json }) => json.campaignId)).toEqual([
			'cam_other',
			undefined,
			'cam_mine',
		]);
	});

	it('other types in singleHook mode, while a lead state comes once through its own webhook', async () => {
		const host = await world.trigger(['emailsSent', 'warmed'], { subscription: 'singleHook' });
		await host.activate();
		for (const type of ['emailsSent', 'emailsOpened', 'smsReplied'] as const) {
			const attempts = await world.service.emit({ type });
			expect(attempts.every(({ status }) => status === 200)).toBe(true);
		}
		expect(host.started.map(({ json }) => json.type)).toEqual(['emailsSent', 'smsReplied']);
	});

	it.each([
		['include', 2],
		['exclude', 1],
		['only', 1],
	])('third-party replies set to %s let %d of two through', async (thirdPartyReplies, expected) => {
		const host = await world.trigger(['emailsReplied'], { thirdPartyReplies });
		await host.activate();
		await world.service.emit({ type: 'emailsReplied' });
		await world.service.emit({ type: 'emailsReplied', isThirdPartyReply: true });
		expect(host.started).toHaveLength(expected);
		if (thirdPartyReplies === 'only') expect(host.started[0]?.json.isThirdPartyReply).toBe(true);
	});
});

describe('The grouped output', () => {
	const keysOf = (value: unknown): unknown =>
		typeof value === 'object' && value !== null && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
			: null;

	it('has the same keys for every event type, and the untouched activity', async () => {
		const host = await world.trigger(['*'], { output: 'grouped' });
		await host.activate();
		for (const type of EVENT_TYPES) await world.service.emit(sampleActivity(type, 3));
		expect(host.started).toHaveLength(EVENT_TYPES.length);
		const shapes = host.started.map(({ json: { activity, ...groups } }) => {
			expect(activity).toEqual(sampleActivity((activity as { type: EventType }).type, 3));
			return keysOf(groups);
		});
		for (const shape of shapes) expect(shape).toEqual(shapes[0]);
		expect(Object.keys(shapes[0] as object)).toEqual([
			'event',
			'campaign',
			'sequence',
			'lead',
			'sender',
			'email',
		]);
	});

	it('sorts the fields of a reply, and says through which subscription it came', async () => {
		const host = await world.trigger(['warmed'], { output: 'grouped' });
		await host.activate();
		await world.service.emit({
			type: 'emailsReplied',
			_id: 'act_9',
			campaignId: 'cam_1',
			campaignName: 'Spring',
			sequenceStep: 2,
			leadEmail: 'lee@lead.test',
			sendUserName: 'Sam',
			subject: 'Re: Hi',
			to: [{ address: 'sam@us.test', name: 'Sam' }],
		});
		expect(host.started[0]?.json).toMatchObject({
			event: {
				id: 'act_9',
				type: 'emailsReplied',
				subscription: 'warmed',
				isThirdPartyReply: false,
			},
			campaign: { id: 'cam_1', name: 'Spring' },
			sequence: { step: 2 },
			lead: { email: 'lee@lead.test' },
			sender: { name: 'Sam' },
			email: { subject: 'Re: Hi', to: [{ address: 'sam@us.test', name: 'Sam' }] },
		});
	});
});
