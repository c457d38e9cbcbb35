/**
 * What an activation registers, in how many requests; how it fails, tells why, and leaves nothing behind; and what a deactivation
 * removes. The world is a local service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import type { TargetQuery } from '../../../nodes/OutreachService/domain/triggerUrl';
import type { SwitchChanges } from '../../../tools/service';
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

/** For each setting that a target URL has: an option with which it is set, and what the service has then. */
const SETTINGS: Record<Exclude<keyof TargetQuery, 'keyId'>, [INodeParameters, object]> = {
	event: [{}, { type: 'emailsReplied' }],
	campaignId: [{ campaignId: 'cam_1', thirdPartyReplies: 'exclude' }, { campaignId: 'cam_1' }],
	isFirst: [{ isFirst: true }, { isFirst: true }],
};

it.each(Object.entries(SETTINGS))(
	'The setting %s of a webhook reaches the service, verifies its deliveries, and lets a start recognize it',
	async (_, [options, expected]) => {
		const host = await world.activeTrigger(['emailsReplied'], options);
		const registered = world.webhooks;
		expect(registered).toEqual([expect.objectContaining(expected)]);
		await world.service.emit({ type: 'emailsReplied', campaignId: 'cam_1' });
		expect(host.started).toHaveLength(1);
		host.moveToNewProcess();
		await host.activate('init');
		expect(world.webhooks).toEqual(registered);
	},
);

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

	it.each<[string[], INodeParameters, string[]]>([
		[['emailsReplied', '*'], {}, ['*']],
		[[], { customEventTypes: 'brandNew, otherNew,, brandNew' }, ['brandNew', 'otherNew']],
		[['emailsReplied', 'smsSent', 'warmed'], { subscription: 'singleHook' }, ['*', 'warmed']],
		[['emailsReplied', '*', 'warmed'], { outputs: 'perEvent' }, ['*', 'warmed']],
		[
			['emailsReplied', 'emailsBounced'],
			{ campaignId: 'cam_1, cam_2' },
			// Replies may have left their campaign (§6.6, D80).
			['emailsReplied', 'emailsBounced cam_1', 'emailsBounced cam_2'],
		],
	])('of %j with %j registers %j', async (events, options, registered) => {
		world.service.setSwitches({ unknownTypes: 'accept' });
		await world.activeTrigger(events, options);
		const actual = world.webhooks.map(({ type = '*', campaignId = '' }) =>
			`${type} ${campaignId}`.trim(),
		);
		expect(actual).toEqual(registered);
		// The target URL of the webhook for all events names them, too.
		expect(world.webhookFor(registered[0]!).targetUrl).toMatch(/&keyId=[0-9a-f]+$/);
	});

	it('that n8n repeats at once registers no second webhook', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'delay', delayMs: 1_000, times: 3, match: { method: 'GET' } });
		await Promise.all([host.call('create'), host.call('create'), host.call('create')]);
		expect(world.webhooks).toHaveLength(1);
	});
});

describe.each<SwitchChanges>([
	{ maxHooks: 2 },
	{ hookUrls: 'oncePerTeam', targetUrlForm: 'normalized' },
])('At a service that has %j', (switches) => {
	it.each(['hookPerEvent', 'singleHook'])(
		'an activation replaces what an earlier process has left: %s',
		async (subscription) => {
			world.service.setSwitches(switches);
			const host = await world.activeTrigger(['emailsReplied', 'warmed'], { subscription });
			const [left, types] = [world.webhookIds, world.webhookTypes.sort()];
			host.moveToNewProcess();
			await host.activate();
			expect(world.webhookTypes.sort()).toEqual(types);
			expect(world.webhookIds.some((id) => left.includes(id))).toBe(false);
		},
	);
});

it('An invalid selection is rejected before anything is sent', async () => {
	const host = await world.trigger([' '], { customEventTypes: ' , ' });
	await expect(host.call('create')).rejects.toThrow('No event is selected');
	expect(world.requests()).toEqual([]);
});

describe('A node without a webhook ID, as n8n imports it on the command line (D85)', () => {
	it.each([
		['an activation', 'activate', {}],
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

	it('refuses the same webhook for two events: only the later one would be delivered', async () => {
		const host = await world.trigger(['emailsReplied', 'smsReplied']);
		const webhook = { _id: 'hoo_same', targetUrl: host.webhookUrl };
		for (let posts = 0; posts < 3; posts++) world.respondOnce('POST', webhook);
		// n8n 2 calls `create` again before it calls `delete`.
		for (let attempts = 0; attempts < 2; attempts++) {
			await expect(host.call('create')).rejects.toThrow(/another webhook already has it/);
		}
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

	it.each([401, 403])(
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
			const since = world.requests().length;
			await host.deactivate();
			await passTime(180_000);
			expect(world.webhooks).toHaveLength(5);
			const attempts = world.requests(since).filter((one) => one.startsWith('GET'));
			expect(attempts.length).toBeGreaterThanOrEqual(3);
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
});

it('A service that never responds is named before n8n gives up: nothing was registered, so nothing is asked for twice', async () => {
	const host = await world.trigger(FIVE);
	world.service.addFault({ kind: 'delay', delayMs: 600_000, times: 100 });
	const from = performance.now();
	await expect(host.call('create')).rejects.toMatchObject({
		message: expect.stringMatching(/ did not respond in time: try again later$/) as string,
	});
	expect(performance.now() - from).toBeLessThan(LONGEST_ATTEMPT_MS);
	await host.call('delete');
	expect(world.requests()).toEqual(['GET /hooks']);
	world.service.clearFaults();
	await host.activate();
	await host.deactivate();
	expect(world.webhooks).toEqual([]);
});
