/**
 * The URL that n8n gives a node: whether n8n routes there (D85), its spelling (D109), and what is left at the test URL
 * (D110). The world is a local service and one trigger in one process of n8n.
 */
import { deriveSecret } from '../../../tools/load/deriveSecret';
import { normalizeUrl } from '../../../nodes/OutreachService/domain/targetUrl';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

describe('A node without a webhook ID, as n8n imports it on the command line', () => {
	const UNROUTED = { webhookId: 'wf/outreach%20service%20trigger' };
	const NO_ID =
		'the node has no webhook ID. Open the workflow in the editor, move the node, and publish';

	it.each([
		['an activation', 'activate', {}],
		['a test run', 'manual', {}],
		['a test run with a sample', 'manual', { testWith: 'sampleEvent' }],
	] as const)('is refused with what to do: %s', async (_, activation, options) => {
		const mode = activation === 'manual' ? 'manual' : 'trigger';
		const host = await world.trigger(['emailsReplied'], options, { mode, node: UNROUTED });
		await expect(host.call('create', activation)).rejects.toThrow(NO_ID);
		expect(world.requests()).toEqual([]);
	});

	it('is reported after a start, and keeps its webhooks', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		const before = world.webhookIds;
		host.moveToNewProcess();
		host.node.webhookId = UNROUTED.webhookId;
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		expect(world.webhookIds).toEqual(before);
		expect(host.failedExecutions[0]?.message).toContain(NO_ID);
	});

	it('is accepted where its path does not change when it is decoded', async () => {
		await world.activeTrigger(['emailsReplied'], {}, { node: { webhookId: 'wf/outreach' } });
		expect(world.webhooks).toHaveLength(1);
	});
});

it('An activation at another URL keeps what it registers, although a removal at the earlier one is under way', async () => {
	const options = { repairMinutes: 1 };
	const host = await world.activeTrigger(['emailsReplied'], options, {
		node: { webhookId: 'wf/outreach' },
	});
	world.service.addFault({ kind: 'delay', delayMs: 3_000, match: { method: 'DELETE' } });
	await host.call('delete');
	await until(() => world.requests().some((request) => request.startsWith('DELETE')));
	host.node.webhookId = 'wf/renamed';
	await host.call('create', 'activate');
	// Longer than the delay.
	await host.removal();
	await host.removal();
	const { check } = await host.startTrigger();
	world.service.removeHook(world.webhookIds[0]!);
	await check();
	expect(world.webhooks).toHaveLength(1);
	expect(host.failedExecutions[0]?.message).toContain('was missing at the service');
});

describe('However the webhook URL is written', () => {
	it.each(['LOCALHOST', 'Localhost'])(
		'a genuine delivery is verified, and Send Test Event reaches the workflow (%s)',
		async (name) => {
			world.service.setSwitches({ targetUrlForm: 'normalized' });
			const host = await world.trigger(['emailsReplied', 'warmed'], { campaignId: 'cam_8QkzT2' });
			host.webhookHost = name;
			await host.activate();
			for (const { _id, targetUrl } of world.webhooks) {
				const [item] = await world.run('sendTest', {
					webhookId: { mode: 'id', value: _id },
					event: targetUrl.includes('warmed') ? 'warmed' : 'emailsReplied',
				});
				expect(item?.json.status).toBe(200);
			}
			await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_8QkzT2' });
			expect(host.started.length).toBeGreaterThanOrEqual(2);
		},
	);

	it('the secret is that of its normalized form', () => {
		for (const url of [
			'https://N8N.Example.com:443/webhook/1/webhook?event=warmed&campaign=cam_1',
			'https://bücher.example/webhook/1/webhook?event=%2A',
		]) {
			expect(deriveSecret('key', url)).toBe(deriveSecret('key', normalizeUrl(url)));
			expect(deriveSecret('key', url)).toBe(deriveSecret('key', new URL(url).href));
		}
	});
});

describe('A webhook at the test URL of a node, left by an n8n that was stopped while it listened', () => {
	/** An active workflow, and a test run of it whose process is gone. */
	async function leftBehind() {
		const id = 'wf';
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 }, { id });
		const test = await world.trigger(['emailsReplied'], {}, { id, mode: 'manual' });
		test.shareUrlsOf(host);
		await test.activate('manual');
		const left = world.webhooks.find(({ targetUrl }) => targetUrl.includes('/webhook-test/'))!;
		return { host, test, left };
	}

	/** What n8n does with the workflow in a process that has not run it yet. */
	const changes: Record<string, (host: TriggerHost) => Promise<void>> = {
		'a start': async (host) => await host.activate('init'),
		'a change of the leader': async (host) => await host.activate('leadershipChange'),
		'an activation': async (host) => await host.activate(),
		'a publication': async (host) => {
			await host.activate('init');
			await host.publish();
		},
		'a check': async (host) => {
			world.service.addFault({ kind: 'status', status: 503, times: 2 });
			await host.activate('init');
			await (await host.startTrigger('init')).check();
		},
	};

	it.each(Object.entries(changes))(
		'stays after %s while it is younger than n8n listens, because another main process may listen, and then goes',
		async (_, change) => {
			const { host, left } = await leftBehind();
			host.moveToNewProcess();
			const now = Date.parse(left.createdAt);
			const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 119_000);
			await change(host);
			await host.settled();
			expect(world.webhookIds).toContain(left._id);
			host.moveToNewProcess();
			clock.mockReturnValue(now + 121_000);
			await change(host);
			await host.settled();
			expect(world.webhookIds).not.toContain(left._id);
		},
	);

	it('is removed by a deactivation of the workflow at once: no check follows', async () => {
		const { host, left } = await leftBehind();
		host.moveToNewProcess();
		await host.deactivate();
		expect(world.webhookIds).not.toContain(left._id);
	});

	it('stays while a test run listens in this process', async () => {
		const { host, test, left } = await leftBehind();
		await host.publish();
		const { check } = await host.startTrigger('update');
		await check();
		expect(world.webhookIds).toContain(left._id);
		await test.deactivate();
		await test.settled();
		expect(world.webhookIds).not.toContain(left._id);
	});

	it('goes with a later check when n8n has started again a moment after a crash', async () => {
		const { host, left } = await leftBehind();
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		expect(world.webhookIds).toContain(left._id);
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse(left.createdAt) + 121_000);
		await check();
		expect(world.webhookIds).not.toContain(left._id);
	});

	it('is not taken for that of another workflow', async () => {
		const { host, left } = await leftBehind();
		const other = await world.activeTrigger(
			['emailsReplied'],
			{},
			{ node: { id: 'other', webhookId: '00000000-0000-4000-8000-000000000002' } },
		);
		await other.publish();
		await other.deactivate();
		expect(world.webhookIds).toContain(left._id);
		await host.deactivate();
	});
});
