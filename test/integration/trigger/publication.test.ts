/**
 * A change of an active workflow is published without a gap (D103), whatever answers for the service (D111). n8n calls
 * `delete`, then `create`, as it does when a workflow is deactivated and activated again. The world is a local service
 * and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { type Fault } from '../../../tools/service';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { passTime } from '../support/passTime';
import { textLike } from '../support/matchers';
import { useWorld } from '../support/world';

const world = useWorld();

const TWO = ['emailsReplied', 'smsReplied'];

const changeTo = (events: string[], options: INodeParameters = {}): INodeParameters => ({
	events,
	options,
});

/** The requests of what a function does. */
async function requestsOf(run: () => Promise<void>): Promise<string[]> {
	const before = world.service.requests.length;
	await run();
	return world.requests(before);
}

/** Longer than a publication waits for a response. */
const SLOW_CREATE_MS = 30_000;

describe('Publishing a change', () => {
	it('keeps what is still desired, and needs one request when the webhooks stay the same', async () => {
		const host = await world.activeTrigger(TWO);
		const before = world.webhookIds;
		const requests = await requestsOf(async () => {
			await host.publish(changeTo(TWO, { output: 'grouped' }));
			await host.removal();
		});
		expect(requests).toEqual(['GET /hooks']);
		expect(world.webhookIds).toEqual(before);
		await world.service.emit({ type: 'smsReplied' });
		expect(host.started[0]?.json).toHaveProperty('event.summary');
	});

	it('creates what is new before it removes what is no longer desired', async () => {
		const host = await world.activeTrigger(TWO);
		const counts: number[] = [];
		world.service.onHooksChange(() => counts.push(world.webhooks.length));
		await host.publish(changeTo(['emailsReplied', 'networkReplied']));
		await host.removal();
		expect(counts).toEqual([3, 2]);
		expect(world.webhookTypes.sort()).toEqual(['emailsReplied', 'networkReplied']);
	});

	it('accepts the deliveries of all its webhooks meanwhile', async () => {
		const host = await world.activeTrigger(TWO);
		world.service.addFault({ kind: 'delay', delayMs: 3_000, match: { method: 'POST' }, times: 2 });
		const published = host.publish(changeTo(['emailsReplied', 'networkReplied', 'paused']));
		const statuses: Array<number | undefined> = [];
		const progress: { isOver: boolean } = { isOver: false };
		const ended = published.then(() => {
			progress.isOver = true;
		});
		while (!progress.isOver) {
			const attempts = await world.service.emit({ type: 'emailsReplied' });
			statuses.push(...attempts.map(({ status }) => status));
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		await ended;
		expect(statuses.length).toBeGreaterThan(3);
		expect(new Set(statuses)).toEqual(new Set([200]));
		await world.service.emit({ type: 'networkReplied' });
		expect(host.started).toHaveLength(statuses.length + 1);
	});

	it('accepts the last deliveries of a webhook that was removed, and filters them by the change', async () => {
		const host = await world.activeTrigger(['smsReplied']);
		const { targetUrl } = world.webhooks[0]!;
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		await host.publish(changeTo(['smsReplied'], { campaignId: 'cam_1' }));
		await host.removal();
		expect(world.webhooks.map((webhook) => webhook.campaignId)).toEqual(['cam_1']);
		for (const campaignId of ['cam_1', 'cam_2']) {
			const activity = { type: 'smsReplied', _id: `act_${campaignId}`, campaignId, secret };
			expect((await post(targetUrl, activity)).status).toBe(200);
		}
		expect(host.started.map(({ json }) => json.campaignId)).toEqual(['cam_1']);
	});

	it('removes no webhook while n8n ends the trigger, which waits for the execution of a batch', async () => {
		const batch = { values: { maxEvents: 9, maxSeconds: 8 } };
		const host = await world.activeTrigger(TWO, { batch });
		const { close } = await host.startTrigger();
		let respond: (status: number) => void = () => undefined;
		host.respond = async () =>
			await new Promise((resolve) => {
				respond = resolve;
			});
		const delivered = world.service.emit({ type: 'smsReplied' });
		await until(() => world.n8n.runtime.batches.size === 1);
		const requests = await requestsOf(async () => {
			await host.call('delete', 'update');
			await close();
			// Another trigger of the workflow.
			await new Promise((resolve) => setTimeout(resolve, 1_500));
			host.reload();
			await host.activate('update');
			await host.removal();
		});
		expect(requests).toEqual(['GET /hooks']);
		respond(200);
		await delivered;
	});

	it('restores what a removal had begun to remove, runs its last deliveries, and calls nothing lost', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		const { targetUrl } = world.webhookFor('emailsReplied');
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		const match = { method: 'DELETE' };
		world.service.addFault({ kind: 'delay', delayMs: 4_000, match, skip: 1 });
		await host.call('delete', 'update');
		await until(() => world.webhooks.length === 1);
		host.reload();
		await host.activate('update');
		expect((await post(targetUrl, { type: 'emailsReplied', _id: 'act_1', secret })).status).toBe(
			200,
		);
		expect(host.started).toHaveLength(1);
		const { check } = await host.startTrigger('update');
		await host.removal();
		await check(2);
		expect(world.webhookTypes.sort()).toEqual(TWO);
		expect(host.failedExecutions).toEqual([]);
	});
});

/** What answers in place of a service, or how it fails. */
const ANSWERS: Record<string, Fault> = {
	'an ingress without a backend': {
		kind: 'status',
		status: 404,
		body: 'default backend - 404',
		contentType: 'text/plain',
	},
	'a maintenance page with 200': { kind: 'gateway', who: 'maintenance' },
	'a firewall that answers with JSON': {
		kind: 'status',
		status: 403,
		body: '{"error":"IP address not allowed"}',
		contentType: 'application/json',
	},
	'a service that no longer accepts the key': { kind: 'status', status: 401 },
	'a service that refuses each webhook': {
		kind: 'status',
		status: 400,
		match: { method: 'POST' },
	},
	'a service that hangs': { kind: 'delay', delayMs: 600_000 },
	'a connection that is cut': { kind: 'cut' },
};

async function activeTrigger(): Promise<TriggerHost> {
	const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
	await host.startTrigger();
	return host;
}

describe.each(Object.entries(ANSWERS))('While %s answers, a published change', (_, fault) => {
	it('goes live with what works, is reported, and is registered once the service is back', async () => {
		const host = await activeTrigger();
		const [kept] = world.webhookIds;
		world.service.addFault({ ...fault, times: 10_000 });
		await host.publish(changeTo(['emailsReplied', 'networkReplied'], { repairMinutes: 1 }));
		expect(host.isKnownToProcess).toBe(true);
		expect(world.webhookIds).toContain(kept);
		const { check } = await host.startTrigger('update');
		await host.settled();
		await check();
		await check();
		expect(host.failedExecutions).toHaveLength(1);
		world.service.clearFaults();
		await check();
		expect(world.webhookTypes.sort()).toEqual(['emailsReplied', 'networkReplied']);
		expect(world.webhookIds).toContain(kept);
	});
});

it('A change to all events keeps the webhook of one event until the service has created the other one', async () => {
	const host = await world.activeTrigger(['emailsReplied']);
	world.service.addFault({ kind: 'delay', delayMs: SLOW_CREATE_MS, match: { method: 'POST' } });
	await host.publish(changeTo(['*'], { repairMinutes: 1 }));
	// The publication goes on in the background, and gives up waiting.
	await passTime(5_000);
	await host.settled();
	expect(world.webhookTypes).toEqual(['emailsReplied']);
	const { check } = await host.startTrigger('update');
	await passTime(SLOW_CREATE_MS);
	await check();
	expect(world.webhooks).toEqual([expect.objectContaining({ targetUrl: textLike(/event=\*/) })]);
});

describe('A published change is refused', () => {
	it('for parameters that a person must correct', async () => {
		const host = await activeTrigger();
		await expect(host.publish(changeTo([]))).rejects.toThrow('No event is selected');
		expect(host.isKnownToProcess).toBe(false);
	});

	it.each(['never', 'deactivated a moment ago'])(
		'each time when it is an activation: its owner is there to see it (active before: %s)',
		async (before) => {
			const host = await world.trigger(TWO);
			if (before !== 'never') {
				await host.activate();
				await host.deactivate();
			}
			world.service.addFault({ kind: 'status', status: 503, times: 1_000 });
			for (let attempts = 0; attempts < 3; attempts++) {
				await expect(host.activate()).rejects.toThrow('status 503');
			}
		},
	);
});
