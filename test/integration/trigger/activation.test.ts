/**
 * What an activation registers, in how many requests; how it fails, tells why, and leaves nothing behind; and what a deactivation
 * removes. The world is a local service and one trigger in one process of n8n.
 */
import type { INodeParameters } from 'n8n-workflow';

import type { SwitchChanges } from '../../../tools/service';
import { textLike } from '../support/matchers';
import { passTime } from '../support/passTime';
import type { TriggerHostOptions } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld();

/**
 * How long each attempt of an activation may take, in milliseconds: n8n 2 tries five times, waits 1, 2, 4 and 8 seconds in
 * between, and gives up after 84 seconds in all.
 */
const LONGEST_ATTEMPT_MS = (84_000 - 1_000 - 2_000 - 4_000 - 8_000) / 5;

const FIVE = ['emailsReplied', 'emailsBounced', 'smsReplied', 'dialerEnded', 'paused'];

describe('Activation', () => {
	it('registers one webhook for each event, with a secret, in one request each, between two lists; n8n stores nothing', async () => {
		const host = await world.activeTrigger(['emailsReplied', 'dialerEnded']);
		expect(world.webhooks).toMatchObject([
			{ type: 'emailsReplied', hasSecret: true },
			{ type: 'dialerEnded', hasSecret: true },
		]);
		expect(world.requests()).toEqual(['GET /hooks', 'POST /hooks', 'POST /hooks', 'GET /hooks']);
		const removal = await world.requestsOf(async () => await host.deactivate());
		expect(removal).toEqual(['GET /hooks', 'DELETE /hooks/:id', 'DELETE /hooks/:id']);
		expect([world.webhooks, host.savedStaticData]).toEqual([[], {}]);
	});

	it.each<[string[], INodeParameters, string[]]>([
		[['emailsReplied'], { isFirst: true }, ['emailsReplied first']],
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
	])(
		'of %j with %j registers %j, whose deliveries are verified, and which a start recognizes',
		async (events, options, registered) => {
			world.service.setSwitches({ unknownTypes: 'accept' });
			const host = await world.activeTrigger(events, options);
			const before = world.webhooks;
			const described = before.map(({ type = '*', campaignId, isFirst }) =>
				[type, campaignId, isFirst ? 'first' : undefined].filter(Boolean).join(' '),
			);
			expect(described).toEqual(registered);
			const [type = ''] = (registered.at(-1) ?? '').split(' ');
			await world.service.emit({ type: type === '*' ? 'smsSent' : type, campaignId: 'cam_1' });
			expect(host.started).not.toEqual([]);
			host.moveToNewProcess();
			await host.activate('init');
			expect(world.webhooks).toEqual(before);
		},
	);

	it('that n8n repeats at once registers no second webhook', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.delay('GET', 1_000, { times: 3 });
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

/** The node as n8n imports it on the command line (D85). */
const WITHOUT_ID = { node: { webhookId: 'wf/outreach%20service%20trigger' } };
const TEST_RUN = { mode: 'manual' } as const;
const ONE = { events: ['warmed'] };
const SAMPLE = { ...ONE, options: { testWith: 'sampleEvent' } };
const FAR_SERVICE = { ...ONE, credential: 'elsewhere' };
const MOVE =
	'the node has no webhook ID. Open the workflow in the editor, move the node, and publish';
const SET_URL =
	/^The service cannot reach this n8n at http:\/\/[^/]+: set WEBHOOK_URL to its public URL$/;

it.each<[string, INodeParameters, TriggerHostOptions, string | RegExp]>([
	['the selection is invalid', {}, {}, 'No event is selected'],
	['the node has no webhook ID', ONE, WITHOUT_ID, MOVE],
	['a node to test with a sample has none', SAMPLE, { ...WITHOUT_ID, ...TEST_RUN }, MOVE],
	['only its own machine can reach n8n', FAR_SERVICE, {}, SET_URL],
	['only its own machine can reach n8n, for a test run', FAR_SERVICE, TEST_RUN, SET_URL],
])(
	'An activation is refused with what to do before anything is sent, if %s',
	async (_, { credential, ...parameters }, more, message) => {
		const host = await world.trigger([], {}, more);
		host.reload({ events: [], ...parameters });
		if (credential === 'elsewhere') host.credential.baseUrl = world.serviceElsewhere();
		const activation = more.mode === 'manual' ? 'manual' : 'activate';
		await expect(host.call('create', activation)).rejects.toThrow(message);
		expect(world.requests()).toEqual([]);
	},
);

it('An activation that does not reach the service fails, and says what to check', async () => {
	const host = await world.trigger(['emailsReplied']);
	host.credential.baseUrl = 'http://127.0.0.1:1/api';
	await expect(host.activate()).rejects.toThrow(
		"n8n cannot reach 127.0.0.1:1: check the credential's Base URL, or try again later",
	);
	expect(host.isKnownToProcess).toBe(false);
});

describe('A registration that fails halfway', () => {
	// When an activation fails, n8n 2 shows the message alone and n8n 1 the description alone.
	it('removes the webhooks it created, and quotes the service in the message and the description of the error', async () => {
		const host = await world.trigger(FIVE);
		const body = 'A team can have at most 2 webhooks';
		const match = { method: 'POST' };
		world.service.addFault({ kind: 'status', status: 400, body, skip: 2, match });
		const reason = textLike(new RegExp(`status 400: "${body}"`));
		const expected = { message: reason, description: reason };
		await expect(host.activate()).rejects.toMatchObject(expected);
		expect(world.webhooks).toEqual([]);
		await host.activate();
		expect(world.webhooks).toHaveLength(5);
	});

	it('says what to do about a target URL that another webhook has', async () => {
		const host = await world.trigger(FIVE);
		world.service.addFault({ kind: 'status', status: 409, skip: 1, match: { method: 'POST' } });
		const description = textLike(/'Webhooks: Subscription' to 'One Webhook for Everything'/);
		await expect(host.activate()).rejects.toMatchObject({ description });
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

	it.each([
		['GET', 401],
		['DELETE', 403],
	])(
		'goes on each minute while a %s is refused with %i, and says so once',
		async (method, status) => {
			const host = await world.activeTrigger(FIVE);
			const warnings = world.warnings();
			world.refuse(method, status, 1_000);
			const attempts = await world.requestsOf(async () => {
				await host.deactivate();
				await passTime(180_000);
			});
			expect(world.webhooks).toHaveLength(5);
			expect(attempts.filter((one) => one.startsWith('GET')).length).toBeGreaterThanOrEqual(3);
			expect(warnings()).toEqual([
				textLike(/^The webhooks of "Trigger" could not be removed.*tries again each minute/),
			]);
			world.service.clearFaults();
			await passTime(60_000);
			await until(() => world.webhooks.length === 0);
		},
	);
});

it('A service that never responds is named before n8n gives up: nothing was registered, so nothing is asked for twice', async () => {
	const host = await world.trigger(FIVE);
	world.delay('GET', 600_000, { times: 100 });
	const from = performance.now();
	await expect(host.call('create')).rejects.toThrow(/ did not respond in time: try again later$/);
	expect(performance.now() - from).toBeLessThan(LONGEST_ATTEMPT_MS);
	await host.call('delete');
	expect(world.requests()).toEqual(['GET /hooks']);
	world.service.clearFaults();
	await host.activate();
	await host.deactivate();
	expect(world.webhooks).toEqual([]);
});
