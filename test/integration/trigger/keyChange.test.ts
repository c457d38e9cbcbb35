/**
 * What is registered is what counts: a minute after a webhook has been replaced, its secret is accepted no longer. The world is
 * a local service and one trigger in one process of n8n.
 */
import fc from 'fast-check';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { tries } from '../../propertyRuns';
import { passTime } from '../support/passTime';
import { post } from '../support/post';
import { SLOW_MS } from '../support/slowMs';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

/** How long the deliveries of a removed webhook are accepted. */
const LAST_DELIVERIES_MS = 60_000;

let activities = 0;

/** Delivers an event with the secret that an API key gives a webhook. */
async function deliver(targetUrl: string, apiKey: string): Promise<number> {
	const secret = deriveSecret(apiKey, targetUrl);
	const activity = { _id: `act_${++activities}`, type: 'emailsReplied', secret };
	return (await post(targetUrl, activity)).status;
}

const step = fc.oneof(
	fc.record({
		do: fc.constant('key' as const),
		key: fc.constantFrom('one', 'two', 'three'),
		team: fc.constantFrom(undefined, 'tea_other'),
	}),
	fc.record({
		do: fc.constantFrom('check' as const, 'start' as const, 'vanish' as const, 'fail' as const),
	}),
);

it('A minute after a check that succeeds, only secrets of the current key are accepted, in whatever order keys change', async () => {
	let histories = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
			const number = ++histories;
			world.service.clearFaults();
			const host = await world.trigger(['emailsReplied'], { repairMinutes: 0 });
			const keys = new Set([`first-${number}`]);
			world.useKey(host, `first-${number}`, `tea_${number}`);
			await host.activate();
			let running = await host.startTrigger();
			const targetUrl = `${host.webhookUrl}?event=emailsReplied`;
			for (const one of steps) {
				if (one.do === 'key') {
					const key = `${one.key}-${one.team ?? ''}-${number}`;
					keys.add(key);
					world.useKey(host, key, `${one.team ?? 'tea'}_${number}`);
				}
				if (one.do === 'vanish') {
					for (const { _id } of world.webhooks) world.service.removeHook(_id);
				}
				if (one.do === 'fail') {
					world.service.addFault({ kind: 'status', status: 401, match: { method: 'POST' } });
				}
				if (one.do === 'check') await running.check();
				if (one.do === 'start') {
					await running.close();
					host.moveToNewProcess();
					await host.activate('init');
					running = await host.startTrigger('init');
				}
			}
			world.service.clearFaults();
			// Even with Repair Interval 0: a changed key is noticed within a minute.
			await running.check();
			await running.check();
			await passTime(LAST_DELIVERIES_MS);
			for (const key of keys) {
				expect(await deliver(targetUrl, key)).toBe(key === host.credential.apiKey ? 200 : 401);
			}
			await running.close();
			await host.stop();
		}),
		{ numRuns: tries(5) },
	);
});

it('An existing webhook that the service returns in place of a new one, after the create has timed out, is replaced all the same', async () => {
	const host = await world.activeTrigger(['smsReplied'], { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	await check();
	const [existing] = world.webhooks;
	world.useKey(host, 'new-key');
	world.respondOnce('POST', {
		_id: existing!._id,
		targetUrl: existing!.targetUrl,
		type: 'smsReplied',
	});
	world.service.addFault({ kind: 'delay', delayMs: SLOW_MS, match: { method: 'POST' }, times: 1 });
	await check();
	await passTime(SLOW_MS);
	await check();
	await check();
	expect(world.webhookTypes).toEqual(['smsReplied']);
	await world.service.emit({ type: 'smsReplied' });
	expect(host.statuses).toEqual([200]);
});

describe('When the credential is changed to that of another team', () => {
	it("the earlier team's deliveries end with the next minute's check, and nothing is reported as lost", async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		const { check } = await host.startTrigger();
		const { targetUrl } = world.webhooks[0]!;
		const earlier = host.credential.apiKey;
		world.useKey(host, 'key-of-another-team', 'tea_another');
		expect(await deliver(targetUrl, earlier)).toBe(200);
		await check();
		await check();
		expect(await deliver(targetUrl, earlier)).toBe(401);
		expect(await deliver(targetUrl, 'key-of-another-team')).toBe(200);
		expect(host.failedExecutions).toEqual([]);
	});

	it('is noticed without a request to the service, and costs none while the key stays', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
		const { check } = await host.startTrigger();
		const before = world.service.requests.length;
		await check();
		expect(world.requests(before)).toEqual([]);
		world.useKey(host, 'new-key');
		await check();
		expect(world.requests(before)).toEqual(['GET /hooks', 'POST /hooks', 'DELETE /hooks/:id']);
	});
});

it('A secret that was replaced long ago stays refused at a start, although n8n has saved it', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 0 });
	const running = await host.startTrigger();
	const { targetUrl } = world.webhooks[0]!;
	const earlier = host.credential.apiKey;
	world.useKey(host, 'new-key');
	await running.check();
	expect(await deliver(targetUrl, earlier)).toBe(200);
	await passTime(LAST_DELIVERIES_MS);
	expect(await deliver(targetUrl, earlier)).toBe(401);
	await running.close();
	host.moveToNewProcess();
	await host.activate('init');
	await (await host.startTrigger('init')).check();
	expect(await deliver(targetUrl, earlier)).toBe(401);
	expect(await deliver(targetUrl, 'new-key')).toBe(200);
});

it('A webhook process whose static data n8n has dropped accepts the deliveries a minute after two changes of the key', async () => {
	const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 15 });
	const { check } = await host.startTrigger();
	const { targetUrl } = world.webhooks[0]!;
	for (const key of ['second-key', 'third-key']) {
		world.useKey(host, key);
		await check();
	}
	host.moveToNewProcess({});
	await world.service.emit({ type: 'emailsReplied' });
	expect(host.statuses).toEqual([200]);
	expect(await deliver(targetUrl, 'second-key')).toBe(401);
});

it('Events without a campaign get a webhook without one, and start the workflow', async () => {
	const host = await world.activeTrigger(['emailsBounced', 'connectionIssue'], {
		campaignId: 'cam_1, cam_2',
	});
	expect(world.webhooks.map(({ type, campaignId }) => [type, campaignId])).toEqual([
		['emailsBounced', 'cam_1'],
		['emailsBounced', 'cam_2'],
		['connectionIssue', undefined],
	]);
	await world.service.emit({ type: 'connectionIssue' });
	expect(host.started.map(({ json }) => json.type)).toEqual(['connectionIssue']);
});

it('All Events with a campaign gets a webhook without one: the node filters those that have a campaign', async () => {
	const host = await world.activeTrigger(['*'], { campaignId: 'cam_1' });
	expect(world.webhooks[0]).not.toHaveProperty('campaignId');
	await world.service.emit({ type: 'connectionIssue' });
	await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_1' });
	await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_2' });
	expect(host.started.map(({ json }) => json.type)).toEqual(['connectionIssue', 'emailsReplied']);
});
