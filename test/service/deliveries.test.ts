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

/** Starts a service with a webhook, and a receiver of its deliveries. */
async function subscribed(fields: Partial<HookFields> = {}, switches: SwitchChanges = {}) {
	const target = await receiver();
	const running = await withSwitches({ redeliveryDelayMs: 1, ...switches });
	const hook = running.addHook({ targetUrl: target.url, ...fields });
	return { target, running, hook };
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
	const channels = ['emails', 'network', 'dialer', 'api', 'manual'];
	it.each<[type: string | undefined, received: readonly string[]]>([
		[undefined, EVENT_TYPES],
		['emailsReplied', ['emailsReplied']],
		['hooked', ['hooked', 'emailsOpened', 'networkOpened', 'messengerMessageOpened']],
		['attracted', ['attracted', 'emailsClicked', 'networkInviteAccepted']],
		['warmed', ['warmed', 'emailsReplied', 'networkReplied', 'messengerReplied', 'smsReplied']],
		['interested', ['interested', ...channels.map((by) => `${by}Interested`)]],
		['notInterested', ['notInterested', ...channels.map((by) => `${by}NotInterested`)]],
	])('§6.1 of all events, with the type %s, these under their own types: %j', async (type, all) => {
		const { target, running } = await subscribed({ type });
		for (const one of EVENT_TYPES) await running.emit({ type: one });
		expect(target.received.map(({ body }) => body.type).sort()).toEqual([...all].sort());
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
	] as const)('is repeated with the same body if redeliverOn is %s', async (redeliverOn, all) => {
		const { target, running } = await subscribed({}, { redeliveries: 5, redeliverOn });
		target.statuses.push(500, 404);
		const attempts = await running.emit({ type: 'paused' });
		expect(attempts.map(({ status, final }) => [status, final])).toEqual(
			all.map((status, index) => [status, index === all.length - 1]),
		);
		const [{ body } = {}] = target.received;
		expect(target.received.map((one) => one.body)).toEqual(all.map(() => body));
	});
});
