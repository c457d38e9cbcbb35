/**
 * A change of an active workflow is published without a gap (D103), whatever answers for the service (D111). n8n calls
 * `delete`, then `create`, as it does when a workflow is deactivated and activated again. The world is a local service
 * and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import { deriveSecret } from '../../../tools/load/deriveSecret';
import { EVENT_TYPES, startService, type Fault, type HookView } from '../../../tools/service';
import { withoutTime } from '../../clock';
import { passTime } from '../support/passTime';
import { post } from '../support/post';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

const TWO = ['emailsReplied', 'smsReplied'];

const CAMPAIGNS = Array.from({ length: 75 }, (_, index) => `cam_${index}`).join();

/** How many webhooks of campaigns exist. */
const created = (): number =>
	world.webhooks.filter(({ campaignId }) => campaignId !== undefined).length;

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

	it('keeps 75 webhooks with a single request, beside a bulk deletion', async () => {
		world.service.setSwitches({ rateLimit: 'off' });
		const events = ['emailsSent'];
		const host = await world.activeTrigger(events, { campaignId: CAMPAIGNS });
		expect(world.webhooks).toHaveLength(75);
		const before = world.webhookIds;
		const others = Array.from({ length: 40 }, () => world.addWebhook()._id);
		world.service.setSwitches({ rateLimit: 'sliding' });
		const bulk = world.run('deleteMany', {
			filters: { targetUrl: 'crm.test' },
			dryRun: false,
		});
		const options = { campaignId: CAMPAIGNS, output: 'grouped' };
		const requests = await requestsOf(async () => await host.publish(changeTo(events, options)));
		await bulk;
		await host.removal();
		expect(requests.filter((one) => one.startsWith('POST'))).toEqual([]);
		expect(world.webhookIds).toEqual(before);
		expect(others.filter((id) => world.webhookIds.includes(id))).toEqual([]);
	}, 120_000);

	it('ends before n8n gives up, and goes on by itself, when many webhooks are new at a slow service', async () => {
		const host = await world.activeTrigger(TWO);
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'delay', delayMs: 8_000, match, times: 75 });
		await host.publish(changeTo(['paused'], { campaignId: CAMPAIGNS }));
		// n8n gives up on a publication after 84 seconds, in which five requests at a time create no more than this.
		expect(created()).toBeLessThan(50);
		expect(host.isKnownToProcess).toBe(true);
		await host.settled();
		expect(created()).toBe(75);
		expect(world.webhooks).toHaveLength(75);
	}, 120_000);

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

	it('accepts the last deliveries of a webhook that was removed, for a minute', async () => {
		const host = await world.activeTrigger(['smsReplied']);
		const { targetUrl } = world.webhooks[0]!;
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		await host.publish(changeTo(['smsReplied'], { campaignId: 'cam_1' }));
		await host.removal();
		expect(world.webhooks.map((webhook) => webhook.campaignId)).toEqual(['cam_1']);
		const deliver = async (campaignId: string): Promise<number> => {
			const activity = { type: 'smsReplied', _id: `act_${campaignId}`, campaignId, secret };
			return (await post(targetUrl, activity)).status;
		};
		expect(await deliver('cam_1')).toBe(200);
		expect(await deliver('cam_2')).toBe(200);
		expect(host.started.map(({ json }) => json.campaignId)).toEqual(['cam_1']);
		await passTime(60_000);
		expect(await deliver('cam_1')).toBe(401);
	});

	it('refuses the last deliveries of a removed webhook if only first events are wanted, because a new count may have begun', async () => {
		const host = await world.activeTrigger(['smsReplied']);
		const { targetUrl } = world.webhooks[0]!;
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		await host.publish(changeTo(['smsReplied'], { isFirst: true }));
		await host.removal();
		const { status } = await post(targetUrl, { type: 'smsReplied', _id: 'act_1', secret });
		expect(status).toBe(401);
		expect(host.started).toEqual([]);
	});

	it('begins no new count of First Event Only when another option changes', async () => {
		const options = { isFirst: true };
		const host = await world.activeTrigger(TWO, options);
		const lead = { leadId: 'lea_1', campaignId: 'cam_1' };
		await world.service.emit({ type: 'smsReplied', ...lead });
		await host.publish(changeTo(TWO, { ...options, output: 'grouped' }));
		await world.service.emit({ type: 'smsReplied', ...lead });
		expect(host.started).toHaveLength(1);
	});

	it('removes everything after a pause when no create follows: the node was removed or disabled', async () => {
		const host = await world.activeTrigger(TWO);
		await host.call('delete', 'update');
		expect(world.webhooks).toHaveLength(2);
		await host.removal();
		expect(world.webhooks).toEqual([]);
	});

	it.each<[string, 'activate' | 'update']>([
		['publishing a change', 'update'],
		['activating the workflow again at once', 'activate'],
	])('moves the webhooks to another team with another credential: %s', async (_, activation) => {
		const host = await world.activeTrigger(TWO);
		const team = world.webhooks[0]!.team;
		await host.call('delete', 'update');
		world.useKey(host, 'key-of-another-team', 'tea_other');
		host.reload();
		await host.activate(activation);
		await until(() => world.service.hooks(team).length === 0);
		expect(world.service.hooks('tea_other').map(({ type }) => type)).toEqual(TWO);
		await world.service.emit({ type: 'smsReplied', teamId: 'tea_other' });
		expect(host.started).toHaveLength(1);
		expect(host.failedExecutions).toEqual([]);
	});

	it('moves the webhooks to another service that accepts the same key', async () => {
		const host = await world.activeTrigger(TWO);
		const apiKeys = [host.credential.apiKey];
		const other = await startService({ control: false, apiKeys });
		try {
			await host.call('delete', 'update');
			host.credential.baseUrl = other.baseUrl;
			host.reload();
			await host.activate('update');
			expect(other.hooks().map(({ type }) => type)).toEqual(TWO);
			await until(() => world.webhooks.length === 0);
			await host.deactivate();
			expect(other.hooks()).toEqual([]);
		} finally {
			await other.close();
		}
	});

	it('does not wait for a create that an earlier service with the same key still carries out, and removes its webhook', async () => {
		const host = await world.activeTrigger(['emailsSent'], { repairMinutes: 1 });
		const { tick, close } = await host.startTrigger();
		world.service.removeHook(world.webhookIds[0]!);
		world.service.addFault({ kind: 'delay', delayMs: 20_000, match: { method: 'POST' } });
		tick();
		await until(() => world.n8n.runtime.openCreates.size === 1);
		const other = await startService({ control: false, apiKeys: [host.credential.apiKey] });
		try {
			await close();
			await host.call('delete', 'update');
			host.credential.baseUrl = other.baseUrl;
			host.reload();
			await withoutTime(async () => await host.activate('update'));
			expect(other.hooks()).toHaveLength(1);
			await until(() => world.requests().some((one) => one.startsWith('DELETE')));
			await until(() => world.webhooks.length === 0);
			expect(other.hooks()).toHaveLength(1);
			await host.deactivate();
		} finally {
			await other.close();
		}
	});

	describe.each<['activate' | 'update']>([['update'], ['activate']])(
		'while the service of the earlier credential takes long to remove webhooks (%s)',
		(activation) => {
			async function moveToOtherTeam() {
				const host = await world.activeTrigger(['emailsSent'], { repairMinutes: 1 });
				const earlier = world.webhooks[0]!;
				await host.call('delete', 'update');
				world.useKey(host, 'key-of-another-team', 'tea_other');
				const match = { method: 'DELETE' };
				world.service.addFault({ kind: 'delay', delayMs: 20_000, match });
				host.reload();
				await withoutTime(async () => await host.activate(activation));
				expect(world.service.hooks(earlier.team)).toHaveLength(1);
				const isRemoved = (): boolean => world.service.hooks(earlier.team).length === 0;
				return { host, earlier, isRemoved };
			}

			it('create does not wait for it, and processes that know only static data no longer accept its secrets', async () => {
				const { host, earlier, isRemoved } = await moveToOtherTeam();
				expect(JSON.stringify(host.savedStaticData)).not.toContain(earlier._id);
				await until(isRemoved);
			});

			it('neither does the next check, which restores a webhook', async () => {
				const { host, isRemoved } = await moveToOtherTeam();
				const { tick } = await host.startTrigger(activation);
				world.service.removeHook(world.service.hooks('tea_other')[0]!._id);
				await withoutTime(async () => {
					tick();
					await until(() => world.service.hooks('tea_other').length === 1);
				});
				expect(isRemoved()).toBe(false);
				await until(isRemoved);
			});
		},
	);

	it('interrupts no event of the earlier credential: its webhooks deliver until the new ones exist', async () => {
		const host = await world.activeTrigger(TWO);
		const team = world.webhooks[0]!.team;
		const counts: number[] = [];
		await host.call('delete', 'update');
		world.useKey(host, 'another-key-of-the-team');
		host.reload();
		world.service.onHooksChange(() => counts.push(world.webhooks.length));
		world.service.addFault({ kind: 'delay', delayMs: 3_000, match: { method: 'GET' } });
		const published = host.activate('update');
		await until(() => world.requests().filter((one) => one.startsWith('GET')).length === 2);
		await world.service.emit({ type: 'smsReplied' });
		await published;
		await until(() => world.webhooks.length === 2);
		expect(host.statuses).toEqual([200]);
		expect(counts).toEqual([3, 4, 3, 2]);
		await world.service.emit({ type: 'smsReplied', teamId: team });
		expect(host.statuses).toEqual([200, 200]);
		expect(host.started).toHaveLength(2);
		// Processes that know only static data accept the earlier secrets no more.
		const saved = JSON.stringify(host.savedStaticData);
		expect(saved.match(/hoo_\w+/g)?.sort()).toEqual(world.webhookIds.sort());
	});

	it('says nothing of an earlier key that no longer works if the new one is of the same team', async () => {
		const host = await world.trigger(TWO);
		world.useKey(host, 'earlier-key');
		await host.activate();
		await host.call('delete', 'update');
		world.useKey(host, 'another-key-of-the-team');
		world.service.removeApiKey('earlier-key');
		host.reload();
		const warn = world.spyOnWarnings();
		const requests = await requestsOf(async () => {
			await host.activate('update');
			await host.removal();
		});
		expect(requests.filter((one) => one.startsWith('DELETE'))).toHaveLength(2);
		expect(world.webhookTypes.sort()).toEqual(TWO);
		expect(warn.mock.calls).toEqual([]);
	});

	it('removes what a check has created with the earlier credential just before', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		const team = world.webhooks[0]!.team;
		const { tick, close } = await host.startTrigger();
		for (const id of world.webhookIds) world.service.removeHook(id);
		world.service.addFault({ kind: 'delay', delayMs: 20_000, skip: 1, match: { method: 'POST' } });
		tick();
		await until(() => world.webhooks.length === 1 && world.n8n.runtime.openCreates.size === 1);
		await close();
		await host.call('delete', 'update');
		world.useKey(host, 'key-of-another-team', 'tea_other');
		host.reload();
		await host.activate('update');
		await until(() => world.n8n.runtime.openCreates.size === 0);
		await host.settled();
		await until(() => world.service.hooks(team).length === 0);
		expect(world.service.hooks('tea_other').map(({ type }) => type)).toEqual(TWO);
	});

	describe('while the new credential does not work', () => {
		const earlierKey = 'earlier-key';

		async function publishWithWrongKey() {
			const host = await world.trigger(TWO, { repairMinutes: 1 });
			world.useKey(host, earlierKey);
			await host.activate();
			await host.call('delete', 'update');
			host.credential.apiKey = 'wrong-key';
			host.reload();
			await host.activate('update');
			const running = await host.startTrigger('update');
			return { host, ...running };
		}

		it('keeps the webhooks of the earlier one, and removes them when it works', async () => {
			const { host, check } = await publishWithWrongKey();
			const before = world.webhookIds;
			await check();
			expect(world.webhookIds).toEqual(before);
			await world.service.emit({ type: 'smsReplied' });
			expect(host.statuses).toEqual([200]);
			world.useKey(host, 'new-key', 'tea_other');
			await check();
			await until(() => world.webhooks.length === 2);
			expect(world.service.hooks('tea_other').map(({ type }) => type)).toEqual(TWO);
			await until(() => world.requests().filter((one) => one.startsWith('DELETE')).length === 2);
			await check();
			const targetUrl = `${host.webhookUrl}?event=smsReplied`;
			const secret = deriveSecret(earlierKey, targetUrl);
			const deliver = async (_id: string): Promise<number> =>
				(await post(targetUrl, { _id, type: 'smsReplied', secret })).status;
			expect(await deliver('act_1')).toBe(200);
			await passTime(60_000);
			expect(await deliver('act_2')).toBe(401);
			expect(host.failedExecutions).toHaveLength(1);
		});

		it('says nothing of missing webhooks either if the new credential may list webhooks, and create none', async () => {
			const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
			await host.call('delete', 'update');
			world.useKey(host, 'key-of-another-team', 'tea_other');
			host.reload();
			const forbidden = { kind: 'status', status: 403, times: 1000 } as const;
			world.service.addFault({ ...forbidden, match: { method: 'POST' } });
			await host.activate('update');
			const { check } = await host.startTrigger('update');
			await check();
			await check();
			expect(host.failedExecutions.map(({ message }) => message)).toEqual([
				'The webhooks of "Trigger" can no longer be checked',
			]);
		});

		it('goes on accepting their deliveries in webhook processes, and after a restart', async () => {
			const { host } = await publishWithWrongKey();
			host.moveToNewProcess();
			await world.service.emit({ type: 'smsReplied' });
			await host.activate('init');
			await world.service.emit({ type: 'emailsReplied' });
			expect(host.statuses).toEqual([200, 200]);
		});

		it.each([
			['at once', async () => undefined],
			['published again before that', async (host: TriggerHost) => await host.publish()],
		])('leaves none of them behind when the workflow is deactivated (%s)', async (_, change) => {
			const { host } = await publishWithWrongKey();
			await change(host);
			await host.deactivate();
			await until(() => world.webhooks.length === 0);
		});

		it('removes them within seconds of a deactivation, even if the new service takes long to respond', async () => {
			const { host } = await publishWithWrongKey();
			world.service.addApiKey('wrong-key', 'tea_other');
			const match = { method: 'GET' };
			world.service.addFault({ kind: 'delay', delayMs: 20_000, match });
			await host.call('delete', 'update');
			await until(() => world.webhooks.length === 0, 10_000);
			await host.removal();
		});

		it('goes on with them when the earlier one is published again', async () => {
			const { host } = await publishWithWrongKey();
			const before = world.webhookIds;
			const since = world.service.requests.length;
			await host.call('delete', 'update');
			host.credential.apiKey = earlierKey;
			host.reload();
			await host.activate('update');
			await host.removal();
			expect(world.webhookIds).toEqual(before);
			expect(world.requests(since)).toEqual(['GET /hooks']);
		});

		it('says in its report nothing of missing webhooks, because those of the earlier one go on delivering', async () => {
			const { host, check } = await publishWithWrongKey();
			await check();
			await check();
			expect(host.failedExecutions.map(({ message }) => message)).toEqual([
				'The webhooks of "Trigger" can no longer be checked',
			]);
		});

		it('is reported, however often a change is published between the checks', async () => {
			const { host, check } = await publishWithWrongKey();
			await check();
			await host.publish();
			await host.publish();
			await check();
			await check();
			expect(host.failedExecutions).toHaveLength(1);
		});

		describe('and n8n calls create only after one of two webhooks of the earlier one was removed', () => {
			async function publishWithWrongKeyUntilRemoval() {
				const { host, close } = await publishWithWrongKey();
				const second = { skip: 1, match: { method: 'DELETE' } };
				world.service.addFault({ kind: 'delay', delayMs: 8_000, ...second });
				await close();
				await host.call('delete', 'update');
				await until(() => world.webhooks.length === 1);
				// The trigger gets the response, too.
				await new Promise((resolve) => setTimeout(resolve, 1_000));
				return host;
			}

			it('reports no loss when the earlier one is published again', async () => {
				const host = await publishWithWrongKeyUntilRemoval();
				host.credential.apiKey = earlierKey;
				host.reload();
				await host.activate('update');
				const { check } = await host.startTrigger('update');
				await check();
				expect(world.webhookTypes.sort()).toEqual(TWO);
				expect(host.failedExecutions).toEqual([]);
			});

			it('names that webhook in its report: nothing delivers its events', async () => {
				const host = await publishWithWrongKeyUntilRemoval();
				await host.activate('update');
				const { check } = await host.startTrigger('update');
				await check();
				await check();
				expect(host.failedExecutions.map(({ message }) => message)).toEqual([
					'1 webhook of "Trigger" cannot be created at the service: Email: Reply Received',
				]);
			});
		});

		it('removes them when it works, even if n8n has started the triggers again meanwhile', async () => {
			const { host, close } = await publishWithWrongKey();
			const { team } = world.webhooks[0]!;
			await close();
			await host.activate('update');
			const { check } = await host.startTrigger('update');
			world.useKey(host, 'wrong-key', 'tea_other');
			await check();
			await check();
			expect(world.service.hooks('tea_other').map(({ type }) => type)).toEqual(TWO);
			expect(world.service.hooks(team)).toEqual([]);
			expect(host.failedExecutions).toEqual([]);
		});

		it('says nothing of another Base URL while their deliveries are accepted, even if n8n starts the triggers again', async () => {
			const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
			await host.call('delete', 'update');
			world.useKey(host, 'key-of-another-service', 'tea_other');
			host.credential.baseUrl = world.service.baseUrl.replace('127.0.0.1', 'localhost');
			host.reload();
			const forbidden = { kind: 'status', status: 403, times: 1000 } as const;
			world.service.addFault({ ...forbidden, match: { method: 'POST' } });
			await host.activate('update');
			await (await host.startTrigger('update')).close();
			const warn = world.spyOnWarnings();
			await host.activate('update');
			await (await host.startTrigger('update')).check();
			await world.service.emit({ type: 'smsReplied' });
			expect(host.statuses).toEqual([200]);
			expect(warn.mock.calls).toEqual([]);
		});

		it('stores each of them once when n8n ends the trigger before it calls delete', async () => {
			const { host, close } = await publishWithWrongKey();
			await close();
			await host.call('delete', 'update');
			expect(JSON.stringify(host.savedStaticData).match(/hoo_\w+/g)).toEqual(world.webhookIds);
		});

		it('keeps them for good when n8n starts the workflow again with the earlier one', async () => {
			const { host } = await publishWithWrongKey();
			const before = world.webhookIds;
			await host.call('delete', 'update');
			host.credential.apiKey = earlierKey;
			await host.activate('init');
			const { check } = await host.startTrigger('init');
			for (let checks = 0; checks < 3; checks++) await check();
			expect(world.webhookIds).toEqual(before);
		});
	});

	it("removes the other team's webhooks even if the first attempt with another credential fails", async () => {
		const host = await world.activeTrigger(TWO);
		const team = world.webhooks[0]!.team;
		await host.call('delete', 'update');
		world.useKey(host, 'key-of-another-team', 'tea_other');
		host.reload({ events: [] });
		await expect(host.activate('update')).rejects.toThrow('Trigger On');
		await until(() => world.service.hooks(team).length === 0);
	});

	it('fails like an activation if the activation has failed, and reports no loss once it succeeds', async () => {
		const host = await world.trigger(TWO, { repairMinutes: 1 });
		world.service.setSwitches({ maxHooks: 1 });
		await expect(host.activate()).rejects.toThrow('status 400');
		// n8n 2 has advanced the published version, and so calls the next attempt an update.
		await expect(host.activate('update')).rejects.toThrow('status 400');
		world.service.setSwitches({ maxHooks: 0 });
		await host.activate('update');
		const { check } = await host.startTrigger('update');
		await check();
		await check();
		expect(world.webhookTypes).toEqual(TWO);
		expect(host.failedExecutions).toEqual([]);
	});

	it('keeps the new webhooks if the node has another ID at the same URL, however long their creates take', async () => {
		const host = await world.activeTrigger(TWO);
		await host.call('delete', 'update');
		host.node = { ...host.node, id: 'another-id' };
		host.reload();
		const second = { times: 1, skip: 1, match: { method: 'POST' } };
		world.service.addFault({ kind: 'delay', delayMs: 6_000, ...second });
		await host.activate('update');
		await host.removal();
		expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
	});

	it('keeps the webhooks in a process that did not know the node', async () => {
		const host = await world.activeTrigger(TWO);
		const before = world.webhookIds;
		host.moveToNewProcess();
		await host.publish();
		await host.removal();
		expect(world.webhookIds).toEqual(before);
	});

	it('reports the loss that a check had found when it was cancelled', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		const { tick, check } = await host.startTrigger();
		await check();
		for (const id of world.webhookIds) world.service.removeHook(id);
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'delay', delayMs: 20_000, skip: 1, match });
		const before = world.service.requests.length;
		const isPost = (request: string): boolean => request.startsWith('POST');
		tick();
		await until(
			() =>
				world.requests(before).filter(isPost).length === 2 &&
				world.webhooks.length === 1 &&
				world.n8n.runtime.openCreates.size === 1,
		);
		const [{ type }] = world.webhooks as [HookView];
		await host.publish();
		await check();
		await check();
		const name = type === 'emailsReplied' ? 'Email: Reply Received' : 'SMS: Reply Received';
		expect(host.failedExecutions.map(({ message }) => message).join()).toContain(name);
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

	it('does not save that the node is active if it ends after the workflow was deactivated', async () => {
		const host = await world.activeTrigger(TWO);
		world.service.addFault({ kind: 'delay', delayMs: 4_000, match: { method: 'GET' } });
		const before = world.requests().length;
		const published = host.publish();
		await until(() => world.requests().length > before);
		await host.call('delete', 'update');
		const saved = host.savedStaticData;
		await published;
		expect(host.savedStaticData).toEqual(saved);
		await host.removal();
	});

	it('goes on accepting deliveries of what a removal had begun to remove, if its credential has no key', async () => {
		const host = await world.activeTrigger(TWO);
		const [{ targetUrl }] = world.webhooks as [HookView];
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		await host.call('delete', 'update');
		await until(() => world.webhooks.length === 0);
		host.credential.apiKey = '';
		host.reload();
		await host.call('create', 'update');
		// The service may still be sending an event of the webhook.
		expect((await post(targetUrl, { type: 'emailsReplied', secret })).status).toBe(200);
	});

	it('accepts the last deliveries of what a removal has removed, even if the change no longer needs it', async () => {
		// The webhooks of these can be tied to a campaign.
		const events = ['smsReplied', 'networkReplied'];
		const host = await world.activeTrigger(events);
		const urls = world.webhooks.map((webhook) => webhook.targetUrl);
		const match = { method: 'DELETE' };
		world.service.addFault({ kind: 'delay', delayMs: 4_000, match, skip: 1 });
		await host.call('delete', 'update');
		await until(() => world.webhooks.length === 1);
		// The response arrives, too.
		await passTime(1_000);
		const [left] = world.webhooks;
		const targetUrl = urls.find((url) => url !== left?.targetUrl) ?? '';
		host.reload(changeTo(events, { campaignId: 'cam_1' }));
		await host.activate('update');
		await until(() => world.webhooks.every(({ campaignId }) => campaignId === 'cam_1'));
		await host.settled();
		const type = new URL(targetUrl).searchParams.get('event');
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		const activity = { type, _id: 'act_1', campaignId: 'cam_1', secret };
		expect((await post(targetUrl, activity)).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('accepts the last deliveries of what a late create has made, and the change no longer needs', async () => {
		const host = await world.activeTrigger(['smsReplied'], { repairMinutes: 1 });
		const { check, close } = await host.startTrigger();
		const [{ _id, targetUrl }] = world.webhooks as [HookView];
		world.service.removeHook(_id);
		// The service carries out the create, and a gateway has given up waiting for it.
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'status', status: 504, when: 'after', times: 1, match });
		await check();
		expect(world.webhookTypes).toEqual(['smsReplied']);
		await close();
		await host.call('delete', 'update');
		host.reload(changeTo(['smsReplied'], { campaignId: 'cam_1' }));
		await host.activate('update');
		expect(world.webhooks.map(({ campaignId }) => campaignId)).toEqual(['cam_1']);
		const secret = deriveSecret(world.service.apiKey, targetUrl);
		const activity = { type: 'smsReplied', _id: 'act_1', campaignId: 'cam_1', secret };
		expect((await post(targetUrl, activity)).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	it('reconciles what is there when a removal is under way already', async () => {
		const host = await world.activeTrigger([
			...TWO,
			'networkReplied',
			'paused',
			'resumed',
			'stopped',
		]);
		const all = host.node.parameters.events as string[];
		world.service.addFault({
			kind: 'delay',
			delayMs: 4_000,
			match: { method: 'DELETE' },
			times: 3,
		});
		await host.call('delete', 'update');
		await until(() => world.requests().some((one) => one.startsWith('DELETE')));
		host.reload();
		await host.activate('update');
		const { check } = await host.startTrigger('update');
		await check();
		await host.removal();
		await check();
		expect(world.webhookTypes.sort()).toEqual([...all].sort());
		// The node has removed them itself.
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
	'a maintenance page with 200': { kind: 'html', status: 200 },
	'a maintenance page with 503': { kind: 'html', status: 503 },
	"a firewall's page": { kind: 'html', status: 403 },
	'a firewall that answers with JSON': {
		kind: 'status',
		status: 403,
		body: '{"error":"IP address not allowed"}',
		contentType: 'application/json',
	},
	'a login of a gateway': {
		kind: 'status',
		status: 302,
		headers: { location: 'https://login.example.com/' },
	},
	'a service that no longer accepts the key': { kind: 'status', status: 401 },
	'a service that is down': { kind: 'status', status: 503 },
	'a service that refuses each webhook': {
		kind: 'status',
		status: 400,
		match: { method: 'POST' },
	},
	'a service that limits the rate': {
		kind: 'status',
		status: 429,
		headers: { 'retry-after': '30' },
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
		expect(host.failedExecutions).toHaveLength(1);
		world.service.clearFaults();
		await check();
		expect(world.webhookTypes.sort()).toEqual(['emailsReplied', 'networkReplied']);
		expect(world.webhookIds).toContain(kept);
	});
});

describe('A published change is refused', () => {
	it('for parameters that a person must correct', async () => {
		const host = await activeTrigger();
		await expect(host.publish(changeTo([]))).rejects.toThrow('No event is selected');
		expect(host.isKnownToProcess).toBe(false);
	});

	it('if the workflow was never active, however often it is published', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'status', status: 503, times: 1_000 });
		for (const mode of ['activate', 'update', 'update'] as const) {
			await expect(host.activate(mode)).rejects.toThrow('could not carry out the request');
		}
		expect(host.isKnownToProcess).toBe(false);
	});

	it('if the workflow was deactivated, even during the same outage, and first published with wrong parameters', async () => {
		const host = await world.activeTrigger(TWO);
		world.service.addFault({ kind: 'status', status: 503, times: 1_000 });
		await host.deactivate();
		host.reload(changeTo([]));
		await expect(host.activate()).rejects.toThrow('No event is selected');
		await expect(host.publish(changeTo(TWO))).rejects.toThrow('status 503');
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

it('Every event type can be added by a change, and removed by the next', async () => {
	world.service.setSwitches({ rateLimit: 'off' });
	const host = await world.activeTrigger(TWO);
	await host.publish(changeTo([...EVENT_TYPES]));
	await host.settled();
	expect(world.webhooks).toHaveLength(EVENT_TYPES.length);
	await host.publish(changeTo(TWO));
	await host.settled();
	expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
});
