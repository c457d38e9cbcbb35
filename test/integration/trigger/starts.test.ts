/**
 * A start of n8n never throws, ends in time, and removes nothing that may work (D111), whatever is wrong. The world is a local service
 * without rate limit and one trigger in one process of n8n.
 */
import { EVENT_TYPES, type Fault } from '../../../tools/service';
import { textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
import { passTime } from '../support/passTime';
import type { TriggerHost } from '../support/trigger';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const TWO = ['emailsReplied', 'smsReplied'];

/** After this time, n8n 2 calls a publication failed, and does not start the workflow with the next n8n. */
const N8N_GIVES_UP_MS = 84_000;

/** What can be wrong at home when n8n starts. */
const AT_HOME: Record<string, (host: TriggerHost) => void> = {
	'the webhook URL is no URL': (host) => {
		host.webhookHost = '[broken';
	},
	'an expression in Trigger On returns nothing': (host) => {
		host.variables = {};
	},
	'the credential cannot be read': (host) => {
		host.failCredentialReads(new Error('The database is away'));
	},
	"an address of n8n's own machine": (host) => {
		host.credential.baseUrl = world.serviceElsewhere();
		host.webhookHost = 'localhost';
	},
	// n8n gives it this path when it imports it on the command line, and does not route there (D85).
	'the node has no webhook ID': ({ node }) => {
		node.webhookId = 'wf/outreach%20service%20trigger';
	},
};

it.each(Object.entries(AT_HOME))(
	'A start keeps the webhooks, and the second check reports what only the owner can correct: %s',
	async (_, begin) => {
		const host = await world.trigger([]);
		host.reload({ events: '={{ $vars.events }}', options: { repairMinutes: 1 } });
		host.variables = { events: TWO };
		// Where the service reaches n8n, as far as the name tells.
		host.webhookHost = 'n8n.outreach.example';
		await host.activate();
		const before = world.webhooks;
		begin(host);
		const warnings = world.warnings();
		await host.restart();
		expect(warnings()).toHaveLength(1);
		await host.check(3);
		expect(world.webhooks).toEqual(before);
		expect(host.failedExecutions).toEqual([
			expect.objectContaining({ description: textLike(/[^.]\. .*The checks have not succeeded/) }),
		]);
	},
);

describe('A start of n8n', () => {
	it.each(['init', 'leadershipChange'] as const)(
		'with all webhooks in place sends one request, and none before the next interval: mode %s',
		async (mode) => {
			const host = await world.activeTrigger(TWO, { repairMinutes: 0 });
			const requests = await world.requestsOf(async () => {
				host.moveToNewProcess();
				await host.activate(mode);
				await host.check();
			});
			expect(requests).toEqual(['GET /hooks']);
		},
	);

	it.each(['GET', 'POST'])(
		'ends before n8n gives up on the workflow when the service never responds to a %s',
		async (method) => {
			const host = await world.activeTrigger(TWO);
			world.service.removeHook(world.webhooks[0]!._id);
			world.delay(method, 600_000, { times: 100 });
			const from = performance.now();
			await host.restart();
			expect(performance.now() - from).toBeLessThan(N8N_GIVES_UP_MS);
			await world.service.emit({ type: 'smsReplied' });
			expect(host.started).toHaveLength(1);
		},
	);

	it.each<[string, Fault]>([
		['is down', { kind: 'status', status: 503, times: 9 }],
		['refuses every webhook', { kind: 'status', status: 400, times: 9, match: { method: 'POST' } }],
	])(
		'activates a workflow without webhooks when the service %s, and registers them in the first minute in which it works, even with Repair Interval 0',
		async (_, fault) => {
			const host = await world.trigger(TWO, { repairMinutes: 0 });
			world.service.addFault(fault);
			await host.activate('init');
			await host.check();
			expect(world.webhooks).toEqual([]);
			world.service.clearFaults();
			await host.check();
			expect(world.webhookTypes).toEqual(TWO);
			world.service.removeHook(world.webhookIds[0]!);
			expect(await world.requestsOf(async () => await host.check(2))).toEqual([]);
		},
	);

	it('at another WEBHOOK_URL creates the webhooks there without waiting for all, loses none, and names those at the other address', async () => {
		const host = await world.activeTrigger(EVENT_TYPES.slice(0, 12));
		const before = world.webhooks;
		host.webhookHost = 'localhost';
		world.delay('POST', 8_000, { times: 12 });
		const warnings = world.warnings();
		await host.restart();
		expect(world.webhooks.length).toBeLessThan(24);
		await host.settled();
		await host.check(2);
		expect(world.webhooks).toEqual(expect.arrayContaining(before));
		const moved = world.webhooks.filter(({ targetUrl }) => targetUrl.includes('localhost'));
		expect([moved.length, world.webhooks.length]).toEqual([12, 24]);
		expect(host.failedExecutions).toEqual([]);
		expect(warnings()).toEqual([
			textLike(
				/^12 webhooks .*'Delete Many' and this filter for the target URL: http:\/\/127\.0\.0\.1/,
			),
		]);
	});

	it('logs a loss that it has found at once, and reports it once, whatever is published or restarted afterwards', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		world.service.removeHook(world.webhookIds[1]!);
		const warnings = world.warnings();
		await host.restart();
		const loss = /^Webhooks of "Trigger" were missing.*SMS: Reply Received/;
		expect(warnings()).toEqual([textLike(loss)]);
		await host.check();
		await host.publish();
		await host.check();
		await host.restart();
		await host.check();
		expect(host.reports).toEqual([textLike(loss)]);
	});
});

// n8n 1 ends all triggers of a workflow when one of them fails, and starts them again a second later without a `delete`.
it.each(['init', 'activate'] as const)(
	'A loss that a check has found, and could not report before n8n started the triggers again, is reported: mode %s',
	async (mode) => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		await host.check();
		for (const id of world.webhookIds) world.service.removeHook(id);
		const second = { times: 100, skip: 1, match: { method: 'POST' } };
		world.service.addFault({ kind: 'status', status: 503, ...second });
		await host.check();
		await host.close();
		world.service.clearFaults();
		await host.activate(mode);
		await host.check(2);
		const told = host.reports.join();
		expect(told).toContain('Email: Reply Received');
		expect(told).toContain('SMS: Reply Received');
	},
);

/** n8n 2 calls `delete` in the main process that gets a person's request, and `create` in the one that leads. */
describe.each<[string, (host: TriggerHost) => Promise<void>]>([
	['has never run it', async () => undefined],
	[
		'has led before',
		async (host) => {
			await host.activate('leadershipChange');
			await host.close();
		},
	],
])(
	'A main process in which n8n calls delete for a workflow that another one runs, and that %s',
	(_, begin) => {
		/** n8n calls `delete` in the other process, and ends the trigger in the leader. */
		async function deleteElsewhere(isSlow: boolean): Promise<TriggerHost> {
			const host = await world.activeTrigger(TWO);
			const { close } = host;
			host.moveToNewProcess(undefined, new N8n());
			await begin(host);
			host.isSlowToStopListening = isSlow;
			await host.call('delete', 'update');
			await close();
			return host;
		}

		it('leaves the webhooks to it while a change is published', async () => {
			const host = await deleteElsewhere(false);
			host.moveToNewProcess(undefined, world.n8n);
			await host.activate('update');
			const before = world.webhookIds;
			await passTime(150_000);
			expect([before.length, world.webhookIds]).toEqual([2, before]);
		});

		it('removes them if the workflow is deactivated, also if n8n is slow to stop listening', async () => {
			const host = await deleteElsewhere(true);
			await passTime(5_000);
			expect(world.webhooks).toHaveLength(2);
			host.isSlowToStopListening = false;
			await passTime(60_000);
			await until(() => world.webhooks.length === 0);
		});
	},
);
