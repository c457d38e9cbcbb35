/** Which webhooks get an event from the local service, in which form, and what it makes of the response (§6). */
import {
	EVENT_TYPES,
	sampleActivity,
	type HookFields,
	type SwitchChanges,
} from '../../tools/service';
import { useRealTime } from '../clock';
import { receiver, withSwitches } from './support';

useRealTime();

afterEach(() => {
	jest.restoreAllMocks();
});

/** Starts a service with a webhook, and a receiver of its deliveries. */
async function subscribed(fields: Partial<HookFields> = {}, switches: SwitchChanges = {}) {
	const target = await receiver();
	const running = await withSwitches({ redeliveryDelayMs: 1, ...switches });
	const hook = running.addHook({ targetUrl: target.url, ...fields });
	const types = () => target.received.map(({ body }) => body.type);
	return { target, running, hook, types };
}

/** The same, with a receiver that responds with these statuses in turn, then with 200. */
async function respondingWith(statuses: Array<number | undefined>, switches: SwitchChanges = {}) {
	const world = await subscribed({}, switches);
	world.target.respond = (_, count) => (count <= statuses.length ? statuses[count - 1] : 200);
	return world;
}

it('A delivery is a POST with the activity as JSON, and §6.4.5 the secret of the webhook, if it has one', async () => {
	const { target, running } = await subscribed({ secret: 'h&sh "é"' });
	running.addHook({ targetUrl: `${target.url}/open`, secret: '' });
	const activity = sampleActivity('emailsSent', 4);
	await running.emit(activity);
	expect(target.received).toMatchObject([
		{ method: 'POST', path: '/hook', body: { ...activity, secret: 'h&sh "é"' } },
		{ path: '/hook/open', headers: { 'content-type': 'application/json' } },
	]);
	expect(target.received[1]?.body).toEqual(activity);
});

describe('A webhook receives', () => {
	it('§6.3.1 every event type if it has no type', async () => {
		const { running, types } = await subscribed();
		for (const type of EVENT_TYPES) await running.emit({ type });
		expect(types()).toEqual(EVENT_TYPES);
	});

	it.each([
		['hooked', ['emailsOpened', 'networkOpened', 'messengerMessageOpened']],
		['attracted', ['emailsClicked', 'networkInviteAccepted']],
		['warmed', ['emailsReplied', 'networkReplied', 'messengerReplied', 'smsReplied']],
		['interested', ['emails', 'network', 'dialer', 'api', 'manual'].map((by) => `${by}Interested`)],
		[
			'notInterested',
			['emails', 'network', 'dialer', 'api', 'manual'].map((by) => `${by}NotInterested`),
		],
	])('§6.1 the activities of the state group %s under their own types', async (group, members) => {
		const { running, types } = await subscribed({ type: group });
		for (const type of EVENT_TYPES) await running.emit({ type });
		expect(types().sort()).toEqual([group, ...members].sort());
	});

	it('§6.3.2 only the events of its campaign and team', async () => {
		const { target, running } = await subscribed({ campaignId: 'cam_mine' });
		await running.emit({ type: 'hooked', campaignId: 'cam_mine' });
		await running.emit({ type: 'hooked', campaignId: 'cam_other' });
		await running.emit({ type: 'hooked', campaignId: 'cam_mine', teamId: 'tea_other' });
		await running.emit({ type: 'connectionIssue' });
		expect(target.received.map(({ body }) => body.campaignId)).toEqual(['cam_mine']);
	});

	it('§2.1 with isFirst the first event of each lead in each campaign', async () => {
		const { target, running } = await subscribed({ isFirst: true, type: 'emailsOpened' });
		for (const [leadId, campaignId] of [
			['a', 'cam_1'],
			['a', 'cam_1'],
			['b', 'cam_1'],
			['a', 'cam_2'],
		]) {
			await running.emit({ type: 'emailsOpened', leadId, campaignId });
		}
		expect(target.received.map(({ body }) => body.leadId)).toEqual(['a', 'b', 'a']);
	});
});

describe('§6.7 an attempt', () => {
	it('is in the ledger with webhook, activity, target URL, status and duration', async () => {
		const { target, running, hook } = await subscribed();
		const [entry] = await running.emit({ type: 'paused', _id: 'act_1' });
		expect(entry).toMatchObject({
			hookId: hook._id,
			activityId: 'act_1',
			type: 'paused',
			targetUrl: target.url,
			status: 200,
			attempt: 1,
			final: true,
		});
		expect(entry?.ms).toBeGreaterThan(0);
		expect(running.ledger).toEqual([entry]);
	});

	it.each([
		['notOk', [500, 404, 200]],
		['serverError', [500, 404]],
	] as const)(
		'is repeated with the same body for redeliverOn %s',
		async (redeliverOn, statuses) => {
			const { target, running } = await respondingWith([500, 404], {
				redeliveries: 5,
				redeliverOn,
			});
			const attempts = await running.emit({ type: 'paused' });
			expect(attempts.map(({ status, final }) => [status, final])).toEqual(
				statuses.map((status, index) => [status, index === statuses.length - 1]),
			);
			const [{ body } = {}] = target.received;
			expect(target.received.map((one) => one.body)).toEqual(statuses.map(() => body));
		},
	);
});
