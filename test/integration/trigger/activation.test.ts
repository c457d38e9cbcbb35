/**
 * What an activation registers, in how many requests; how it fails, tells why, and leaves nothing behind; and what a deactivation
 * removes. The world is a local service and one trigger in one process of n8n.
 */
import { elapsedMs } from '../support/elapsed';
import { passTime } from '../support/passTime';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/**
 * How long each attempt of an activation may take, in milliseconds: n8n 2 tries five times, waits 1, 2, 4 and 8 seconds in
 * between, and gives up after 84 seconds in all.
 */
const LONGEST_ATTEMPT_MS = (84_000 - 1_000 - 2_000 - 4_000 - 8_000) / 5;

const FIVE = ['emailsReplied', 'emailsBounced', 'smsReplied', 'dialerEnded', 'paused'];
const POST = { match: { method: 'POST' } } as const;
const DELETE = { match: { method: 'DELETE' } } as const;

describe('Activation', () => {
	it('registers one webhook for each event, with a secret, in one request each, between two lists; n8n stores nothing', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'dialerEnded']);
		expect(world.webhooks).toEqual([
			expect.objectContaining({ type: 'emailsReplied', hasSecret: true }),
			expect.objectContaining({ type: 'dialerEnded', hasSecret: true }),
		]);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'POST /hooks', 'GET /hooks']);
		expect(host.staticData).toEqual({});
		const since = world.service.requests.length;
		await host.deactivate();
		expect(world.requests(since)).toEqual(['GET /hooks', 'DELETE /hooks/:id', 'DELETE /hooks/:id']);
		expect(world.webhooks).toEqual([]);
	});

	it('registers one webhook without an event for all events, whatever else is selected', async () => {
		await world.activeTrigger(['emailsReplied', '*']);
		expect(world.webhooks).toHaveLength(1);
		expect(world.webhooks[0]?.targetUrl).toMatch(/\/webhook\?event=\*&keyId=[0-9a-f]+$/);
		expect(world.webhooks[0]).not.toHaveProperty('type');
	});

	it('sends the campaign and First Event Only in the query and the body', async () => {
		await world.activeTrigger(['emailsReplied'], {
			campaignId: ' cam_1 ',
			isFirst: true,
		});
		expect(world.webhooks).toEqual([
			expect.objectContaining({ campaignId: 'cam_1', isFirst: true }),
		]);
		const post = world.service.requests.find(({ method }) => method === 'POST');
		expect(post?.query).toEqual({ campaignId: 'cam_1', isFirst: 'true' });
		expect(post?.body).toMatchObject({ campaignId: 'cam_1', isFirst: true });
	});

	it('registers custom event types that the list does not have yet', async () => {
		world.service.setSwitches({ unknownTypes: 'accept' });
		const host = await world.activeTrigger([], {
			customEventTypes: 'brandNew, otherNew,, brandNew',
		});
		expect(world.webhookTypes).toEqual(['brandNew', 'otherNew']);
		await host.deactivate();
		expect(world.webhookTypes).toEqual([]);
	});

	it('registers one webhook for all events and one for each lead state in singleHook mode', async () => {
		await world.activeTrigger(['emailsReplied', 'smsSent', 'warmed'], {
			subscription: 'singleHook',
		});
		expect(world.webhookTypes).toEqual(['*', 'warmed']);
	});

	it('that n8n repeats at once registers no second webhook', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'delay', delayMs: 1_000, times: 3, match: { method: 'GET' } });
		await Promise.all([host.call('create'), host.call('create'), host.call('create')]);
		expect(world.webhooks).toHaveLength(1);
	});

	it('replaces what an earlier process has left, also where the team has no room for more webhooks', async () => {
		world.service.setSwitches({ maxHooks: 2 });
		const host = await world.activeTrigger(['emailsReplied', 'smsReplied']);
		const left = world.webhookIds;
		host.moveToNewProcess();
		await host.activate();
		expect(world.webhooks).toHaveLength(2);
		expect(world.webhookIds.some((id) => left.includes(id))).toBe(false);
	});
});

describe('An invalid selection', () => {
	it.each([
		[[' '], { customEventTypes: ' , ' }, 'No event is selected'],
		[
			['emailsSent'],
			{ customEventTypes: 'emailsSendFailed' },
			"'emailsSendFailed'. Use 'emailsFailed' ('Email: Failed') instead",
		],
		[[], { customEventTypes: 'emailReplied' }, "'emailReplied'. Did you mean 'emailsReplied'?"],
		[['emailsSent'], { repairMinutes: -1 }, "'Webhooks: Repair Interval' cannot be used"],
	])('(%j with %j) is rejected before anything is sent', async (events, options, message) => {
		const host = await world.trigger(events, options);
		await expect(host.call('create')).rejects.toMatchObject({
			message: expect.stringContaining(message) as string,
			description: expect.stringMatching(/.{20}/) as string,
		});
		expect(world.requests()).toEqual([]);
	});
});

describe('A node without a webhook ID, as n8n imports it on the command line (D85)', () => {
	it.each([
		['an activation', 'activate', {}],
		['a test run', 'manual', {}],
		['a test run with a sample', 'manual', { testWith: 'sampleEvent' }],
	] as const)('is refused with what to do: %s', async (_, activation, options) => {
		const mode = activation === 'manual' ? 'manual' : 'trigger';
		const node = { webhookId: 'wf/outreach%20service%20trigger' };
		const host = await world.trigger(['emailsReplied'], options, { mode, node });
		await expect(host.call('create', activation)).rejects.toThrow(
			'the node has no webhook ID. Open the workflow in the editor, move the node, and publish',
		);
		expect(world.requests()).toEqual([]);
	});

	it('is accepted where its path does not change when it is decoded; and at another path, only the new webhooks stay', async () => {
		const node = { webhookId: 'wf/outreach' };
		const host = await world.activeTrigger(['emailsReplied'], {}, { node });
		world.service.addFault({ ...DELETE, kind: 'delay', delayMs: 3_000 });
		await host.call('delete');
		await until(() => world.requests().some((request) => request.startsWith('DELETE')));
		host.node.webhookId = 'wf/renamed';
		await host.call('create', 'activate');
		await passTime(10_000);
		expect(world.webhooks.map(({ targetUrl }) => new URL(targetUrl).pathname)).toEqual([
			expect.stringContaining('wf/renamed'),
		]);
	});
});

describe('A registration that fails halfway', () => {
	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone.
	it('removes the webhooks it created, and quotes the service in the message and the description of the error', async () => {
		const host = await world.trigger(FIVE);
		const body = 'A team can have at most 2 webhooks';
		world.service.addFault({ ...POST, kind: 'status', status: 400, body, skip: 2 });
		const reason = expect.stringContaining(`status 400: "${body}"`) as string;
		await expect(host.activate()).rejects.toMatchObject({
			message: reason,
			description: reason,
		});
		expect(world.webhooks).toEqual([]);
		await host.activate();
		expect(world.webhooks).toHaveLength(5);
	});

	it('can be repeated although it could not remove them either', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 400, skip: 2, times: 1000 });
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, times: 1000 });
		await expect(host.activate()).rejects.toThrow('status 400');
		expect(world.webhooks).toHaveLength(2);
		world.service.clearFaults();
		await host.activate();
		expect(world.webhookTypes.sort()).toEqual([...FIVE].sort());
	});

	it.each([
		[503, /\(status 503\): publish the workflow again later$/],
		[400, /refused the request with status 400$/],
	])('says in its title what to do about a status %i', async (status, message) => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ kind: 'status', status, times: 1000 });
		await expect(host.call('create')).rejects.toThrow(message);
	});

	it('refuses the same webhook for two events: only the later one would be delivered', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied']);
		const webhook = { _id: 'hoo_same', targetUrl: host.webhookUrl };
		world.respondOnce('POST', webhook);
		world.respondOnce('POST', webhook);
		await expect(host.activate()).rejects.toThrow(/another webhook already has it/);
	});

	it('succeeds despite a 429, and a connection that is cut before or after the service created a webhook', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ ...POST, kind: 'status', status: 429, skip: 1 });
		world.service.addFault({ ...POST, kind: 'cut', when: 'before', skip: 2 });
		world.service.addFault({ ...POST, kind: 'cut', when: 'after', skip: 4 });
		await host.activate();
		expect(world.webhookTypes.sort()).toEqual([...FIVE].sort());
		for (const type of FIVE) await world.service.emit({ type });
		expect(host.started).toHaveLength(5);
	});
});

describe('A wrong credential', () => {
	it('is explained in the error, and nothing is registered', async () => {
		const host = await world.trigger(['emailsReplied']);
		host.credential.apiKey = 'wrong';
		await expect(host.activate()).rejects.toMatchObject({
			message: 'The service did not accept the API key',
			description: expect.stringContaining('Copy the key') as string,
		});
		expect(world.webhooks).toEqual([]);
	});

	it('whose base URL is that of a web page is not mistaken for a service without webhooks', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'html', match: { method: 'GET' } });
		await expect(host.call('create')).rejects.toThrow("does not look like the service's API");
		expect(world.requests()).toEqual(['GET /hooks']);
	});
});

describe('Deactivation', () => {
	it('removes what is registered although the parameters cannot be used, in a process that has not run the node', async () => {
		const host = await world.activeTrigger(FIVE);
		host.moveToNewProcess();
		host.reload({ events: [], options: { repairMinutes: 'often' } });
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it.each([
		['a 404 and "Webhook not found"', { kind: 'status', status: 404, body: 'Webhook not found' }],
		['an empty 200', { kind: 'status', status: 200, body: '', when: 'after' }],
		['a cut connection after the removal', { kind: 'cut', when: 'after' }],
	] as const)('succeeds when the service responds to the removal with %s', async (_name, fault) => {
		const host = await world.activeTrigger(['emailsReplied']);
		world.service.addFault({ ...DELETE, ...fault });
		const warn = world.spyOnWarnings();
		await host.deactivate();
		expect(world.webhooks.length).toBeLessThanOrEqual('when' in fault ? 0 : 1);
		expect(warn).not.toHaveBeenCalled();
	});

	it.each([401, 403, 503])(
		'goes on each minute while the service responds with %i, and says so once',
		async (status) => {
			const host = await world.activeTrigger(FIVE);
			const warn = world.spyOnWarnings();
			world.service.addFault({
				kind: 'status',
				status,
				times: 1000,
				...(status === 403 ? DELETE : {}),
			});
			await host.deactivate();
			await passTime(180_000);
			expect(world.webhooks).toHaveLength(5);
			expect(warn.mock.calls.map(([text]) => text)).toEqual([
				expect.stringMatching(
					/^The webhooks of "Trigger" could not be removed.*tries again each minute/,
				),
			]);
			world.service.clearFaults();
			await passTime(60_000);
			await until(() => world.webhooks.length === 0);
		},
	);

	it('removes nothing of a workflow that is active again, with other events, when the service is back', async () => {
		const host = await world.activeTrigger(FIVE);
		world.service.addFault({ ...DELETE, kind: 'status', status: 403, times: 6 });
		await host.deactivate();
		host.reload({ events: ['smsSent'], options: {} });
		world.service.clearFaults();
		await host.activate();
		await passTime(120_000);
		expect(world.webhookTypes).toEqual(['smsSent']);
	});
});

it('A service that never responds is named before n8n gives up: nothing was registered, so nothing is asked for twice', async () => {
	const host = await world.trigger(FIVE);
	world.service.addFault({ kind: 'delay', delayMs: 600_000, times: 100 });
	const attemptMs = await elapsedMs(async () => {
		await expect(host.call('create')).rejects.toMatchObject({
			message: expect.stringMatching(
				/ did not respond in time: publish the workflow again later$/,
			) as string,
		});
	});
	expect(attemptMs).toBeLessThan(LONGEST_ATTEMPT_MS);
	await host.call('delete');
	expect(world.requests()).toEqual(['GET /hooks']);
	world.service.clearFaults();
	await host.activate();
	await host.deactivate();
	expect(world.webhooks).toEqual([]);
});

it('An activation waits a few seconds for the rate limit, because another process may use the key', async () => {
	const host = await world.trigger(FIVE);
	world.service.addFault({
		kind: 'status',
		status: 429,
		headers: { 'retry-after': '5' },
		times: 2,
		match: { method: 'POST' },
	});
	expect(await elapsedMs(async () => await host.activate())).toBeGreaterThanOrEqual(5_000);
	expect(world.webhookTypes.sort()).toEqual([...FIVE].sort());
});
