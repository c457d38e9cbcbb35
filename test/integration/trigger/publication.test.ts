/**
 * A change of an active workflow is published without a gap (D103), whatever answers for the service (D111). n8n calls
 * `delete`, then `create`, as it does when a workflow is deactivated and activated again. The world is a local service
 * and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { GATEWAYS } from '../../../tools/histories/faults';
import type { Fault } from '../../../tools/service';
import { textLike } from '../support/matchers';
import { passTime } from '../support/passTime';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const TWO = ['emailsReplied', 'smsReplied'];

const changeTo = (events: string[], options: INodeParameters = {}): INodeParameters => ({
	events,
	options: { repairMinutes: 1, ...options },
});

const activeTrigger = async (events = TWO): Promise<TriggerHost> =>
	await world.activeTrigger(events, { repairMinutes: 1 });

/** Longer than a publication waits for a response. */
const SLOW_CREATE_MS = 30_000;

describe('Publishing a change', () => {
	it('keeps what is still desired, and needs one request when the webhooks stay the same', async () => {
		const host = await activeTrigger();
		const before = world.webhookIds;
		const requests = await world.requestsOf(async () => {
			await host.publish(changeTo(TWO, { output: 'grouped' }));
			await host.removal();
		});
		expect(requests).toEqual(['GET /hooks']);
		expect(world.webhookIds).toEqual(before);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started[0]?.json).toHaveProperty('event.summary');
	});

	it('creates what is new before it removes what is no longer desired, and accepts the deliveries of all meanwhile', async () => {
		const host = await activeTrigger();
		const counts: number[] = [];
		world.service.onHooksChange(() => counts.push(world.webhooks.length));
		for (const method of ['POST', 'DELETE']) world.delay(method, 3_000);
		const published = host.publish(changeTo(['emailsReplied', 'networkReplied']));
		for (const method of ['GET', 'POST', 'DELETE']) {
			await until(() => world.requests().at(-1)?.startsWith(method) === true);
			for (const { type } of world.webhooks) await world.service.emit({ type: type ?? '' });
		}
		await published;
		expect(new Set(host.statuses)).toEqual(new Set([200]));
		const started = host.started.map(({ json }) => json.type);
		expect(started).toEqual([...Array<string>(3).fill('emailsReplied'), 'networkReplied']);
		await host.removal();
		expect(counts).toEqual([3, 2]);
		expect(world.webhookTypes.sort()).toEqual(['emailsReplied', 'networkReplied']);
	});

	it('accepts the last deliveries of a webhook that was removed, and filters them by the change', async () => {
		const host = await activeTrigger(['smsReplied']);
		const { targetUrl } = world.webhooks[0]!;
		await host.publish(changeTo(['smsReplied'], { campaignId: 'cam_1' }));
		await host.removal();
		expect(world.webhooks.map((webhook) => webhook.campaignId)).toEqual(['cam_1']);
		for (const campaignId of ['cam_1', 'cam_2']) {
			const activity = { type: 'smsReplied', _id: `act_${campaignId}`, campaignId };
			expect(await world.deliver(activity, { targetUrl })).toBe(200);
		}
		expect(host.started.map(({ json }) => json.campaignId)).toEqual(['cam_1']);
	});

	it('removes no webhook while n8n ends the trigger, which waits for the execution of a batch', async () => {
		const batch = { values: { maxEvents: 9, maxSeconds: 8 } };
		const host = await world.activeTrigger(TWO, { batch });
		const respond = host.queueExecutions();
		const delivered = world.service.emit({ type: 'smsReplied' });
		await until(() => world.n8n.runtime.batches.size === 1);
		const requests = await world.requestsOf(async () => {
			await host.call('delete', 'update');
			await host.close();
			// Another trigger of the workflow.
			await new Promise((resolve) => setTimeout(resolve, 1_500));
			await host.activate('update');
			await host.removal();
		});
		expect(requests).toEqual(['GET /hooks']);
		respond(200);
		await delivered;
	});

	it('restores what a removal had begun to remove, runs its last deliveries, and calls nothing lost', async () => {
		const host = await activeTrigger();
		const { targetUrl } = world.webhooks[0]!;
		world.delay('DELETE', 4_000, { skip: 1 });
		await host.call('delete', 'update');
		await until(() => world.webhooks.length === 1);
		await host.activate('update');
		expect(await world.deliver({ type: 'emailsReplied', _id: 'act_1' }, { targetUrl })).toBe(200);
		expect(host.started).toHaveLength(1);
		await host.removal();
		await host.check(2);
		expect(world.webhookTypes.sort()).toEqual(TWO);
		expect(host.failedExecutions).toEqual([]);
	});

	it.each<[string, INodeParameters, (host: TriggerHost) => void]>([
		['No event is selected', changeTo([]), () => undefined],
		[
			'set WEBHOOK_URL',
			changeTo(TWO),
			({ credential }) => {
				credential.baseUrl = world.serviceElsewhere();
			},
		],
	])('is refused for what a person must correct: %s', async (message, parameters, begin) => {
		const host = await activeTrigger();
		begin(host);
		await expect(host.publish(parameters)).rejects.toThrow(message);
		expect(host.isKnownToProcess).toBe(false);
	});
});

/** What answers in place of a service, or how it fails. */
const ANSWERS: Record<string, Fault> = {
	'an ingress without a backend': GATEWAYS.ingress,
	'a maintenance page with 200': GATEWAYS.maintenance,
	'a firewall that answers with JSON': GATEWAYS.plan,
	'a service that no longer accepts the key': { kind: 'status', status: 401 },
	'a service that refuses each webhook': { kind: 'status', status: 400, match: { method: 'POST' } },
	'a service that hangs': { kind: 'delay', delayMs: 600_000 },
	'a connection that is cut': { kind: 'cut' },
};

it.each(Object.entries(ANSWERS))(
	'While %s answers, a published change goes live with what works, is reported, and is registered once the service is back',
	async (_, fault) => {
		const host = await activeTrigger();
		const [kept] = world.webhookIds;
		world.service.addFault({ ...fault, times: 10_000 });
		await host.publish(changeTo(['emailsReplied', 'networkReplied']));
		expect(host.isKnownToProcess).toBe(true);
		expect(world.webhookIds).toContain(kept);
		await host.settled();
		await host.check(2);
		expect(host.failedExecutions).toHaveLength(1);
		world.service.clearFaults();
		await host.check();
		expect(world.webhookTypes.sort()).toEqual(['emailsReplied', 'networkReplied']);
		expect(world.webhookIds).toContain(kept);
	},
);

it('A change to all events keeps the webhook of one event until the service has created the other one', async () => {
	const host = await activeTrigger(['emailsReplied']);
	world.delay('POST', SLOW_CREATE_MS);
	await host.publish(changeTo(['*']));
	// The publication goes on in the background, and gives up waiting.
	await passTime(5_000);
	await host.settled();
	expect(world.webhookTypes).toEqual(['emailsReplied']);
	await passTime(SLOW_CREATE_MS);
	await host.check();
	expect(world.webhooks).toEqual([expect.objectContaining({ targetUrl: textLike(/event=\*/) })]);
});

it.each([[[]], [['activate', 'deactivate'] as const]])(
	'An activation after %j is no publication: each fails, because its owner is there to see it',
	async (before) => {
		const host = await world.trigger(TWO);
		for (const what of before) await host[what]();
		world.refuse('GET', 503, 1_000);
		for (let attempts = 0; attempts < 3; attempts++) {
			await expect(host.activate()).rejects.toThrow('status 503');
		}
	},
);
