/** A start of n8n never throws, and removes nothing that may work (D65). */
import fc from 'fast-check';

import type { Fault } from '../../../tools/service';
import { textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
import type { TriggerHost } from '../support/trigger';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

/** Where the service reaches n8n, as far as the name tells. */
const PUBLIC = 'n8n.outreach.example';

const TWO = ['emailsReplied', 'smsReplied'];

/** What can be wrong when n8n starts, and how it is corrected. */
type Trouble = { begin: (host: TriggerHost) => void; end: (host: TriggerHost) => void };

const inService = (fault: Fault) => ({
	begin: () => world.service.addFault({ times: 100, ...fault }),
	end: () => world.service.clearFaults(),
	// In a counterexample.
	[fc.toStringMethod]: () => JSON.stringify(fault),
});

const atHost = (webhookHost: string): Trouble => ({
	begin: (host) => {
		host.credential.baseUrl = world.serviceElsewhere();
		host.webhookHost = webhookHost;
	},
	end: (host) => {
		host.credential.baseUrl = world.service.baseUrl;
		host.webhookHost = PUBLIC;
	},
});

const AT_HOME: Record<string, Trouble> = {
	'there is no webhook URL': {
		begin: (host) => (host.hasWebhookUrl = false),
		end: (host) => (host.hasWebhookUrl = true),
	},
	'the webhook URL is no URL': {
		begin: (host) => (host.webhookHost = '[broken'),
		end: (host) => (host.webhookHost = PUBLIC),
	},
	'an expression in Trigger On returns nothing': {
		begin: (host) => (host.variables = {}),
		end: (host) => (host.variables = { events: TWO }),
	},
	'the credential cannot be read': {
		begin: (host) => host.failCredentialReads(new Error('The database is away')),
		end: (host) => host.failCredentialReads(undefined),
	},
	"an address of n8n's own machine": atHost('localhost'),
};

const serviceTrouble = fc
	.record({
		fault: fc.constantFrom<Fault>(
			...[400, 401, 403, 404, 409, 429, 500, 503].map(
				(status): Fault => ({ kind: 'status', status }),
			),
			{ kind: 'cut', when: 'before' },
			{ kind: 'cut', when: 'after' },
			{ kind: 'html' },
			{ kind: 'delay', delayMs: 600_000 },
		),
		method: fc.constantFrom('GET', 'POST', 'POST', 'DELETE'),
		skip: fc.nat({ max: 3 }),
	})
	.map(({ fault, method, skip }) => inService({ ...fault, skip, match: { method } }));

const trouble = fc.oneof(serviceTrouble, fc.constantFrom(...Object.values(AT_HOME)));

/** An active workflow whose webhooks the service reaches at a public name, as it seems. */
async function activeTrigger(): Promise<TriggerHost> {
	const host = await world.trigger([], { repairMinutes: 1 }, { id: 'started' });
	host.reload({ events: '={{ $vars.events }}', options: { repairMinutes: 1 } });
	host.variables = { events: TWO };
	host.webhookHost = PUBLIC;
	await host.activate();
	return host;
}

it('A start with whatever is wrong, at whatever moment, goes live, and removes nothing that may work', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(trouble, { minLength: 1, maxLength: 3 }),
			fc.constantFrom('init' as const, 'leadershipChange' as const),
			fc.constantFrom<'nothing' | 'a vanished' | 'a disabled'>(
				'nothing',
				'a vanished',
				'a disabled',
			),
			fc.boolean(),
			async (troubles, mode, more, isStored) => {
				for (const id of world.webhookIds) world.service.removeHook(id);
				world.service.clearFaults();
				const host = await activeTrigger();
				const [first] = world.webhookIds;
				if (more === 'a vanished') world.service.removeHook(first!);
				if (more === 'a disabled') world.service.disableHook(first!);
				const working = world.webhooks.filter(({ disabled }) => !disabled);
				// n8n drops what it stored when a Code node in a worker stores something.
				host.moveToNewProcess(isStored ? undefined : {});
				for (const one of troubles) one.begin(host);
				await expect(host.activate(mode)).resolves.toBeUndefined();
				const { close } = await host.startTrigger(mode);
				await host.settled();
				expect(host.isKnownToProcess).toBe(true);
				const delivering = () => world.webhooks.map(({ type, disabled }) => !disabled && type);
				expect(delivering()).toEqual(expect.arrayContaining(working.map(({ type }) => type)));

				for (const one of troubles) one.end(host);
				await close();
				host.moveToNewProcess();
				await host.activate(mode);
				const { check } = await host.startTrigger(mode);
				await check();
				await check();
				expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
				expect(world.webhooks.some(({ disabled }) => disabled)).toBe(false);
				await host.deactivate();
				expect(world.webhooks).toEqual([]);
				await host.stop();
			},
		),
		{ numRuns: 20 },
	);
}, 120_000);

describe('A start of n8n at which something is wrong that only its owner can correct', () => {
	it('leaves no webhook behind when the workflow is deactivated, though n8n has dropped what it stored', async () => {
		const host = await activeTrigger();
		host.moveToNewProcess({});
		host.variables = {};
		await host.activate('init');
		await host.deactivate();
		expect(world.webhooks).toEqual([]);
	});

	it.each(Object.entries(AT_HOME))(
		'(%s) keeps the webhooks, and the second check reports why',
		async (_, { begin }) => {
			const host = await activeTrigger();
			const before = world.webhooks;
			host.moveToNewProcess();
			begin(host);
			const warn = world.spyOnWarnings();
			await host.activate('init');
			expect(warn).toHaveBeenCalledTimes(1);
			const { check } = await host.startTrigger('init');
			await check();
			await check();
			expect(world.webhooks).toEqual(before);
			await check();
			expect(host.failedExecutions).toEqual([
				expect.objectContaining({
					description: textLike(/[^.]\. .*The checks have not succeeded/),
				}),
			]);
		},
	);

	it('leaves the webhooks as they are when an expression returns nothing', async () => {
		const host = await activeTrigger();
		host.moveToNewProcess();
		const before = world.webhookIds;
		host.variables = {};
		await host.activate('init');
		expect(world.webhookIds).toEqual(before);
	});
});

describe('A change that is published while the service fails', () => {
	it('is refused if the workflow was never active, however often it is published', async () => {
		const host = await world.trigger(['emailsReplied']);
		world.service.addFault({ kind: 'status', status: 503, times: 1_000 });
		for (const mode of ['activate', 'update', 'update'] as const) {
			await expect(host.activate(mode)).rejects.toThrow('could not carry out the request');
		}
		expect(host.isKnownToProcess).toBe(false);
	});

	it.each<[string, Fault]>([
		['is down', { kind: 'status', status: 503 }],
		['creates nothing', { kind: 'status', status: 503, match: { method: 'POST' } }],
		['limits the rate', { kind: 'status', status: 429, headers: { 'retry-after': '30' } }],
		['hangs', { kind: 'delay', delayMs: 600_000 }],
		['cuts every connection', { kind: 'cut' }],
	])('(%s) goes live, is reported, and is registered once it works', async (_, fault) => {
		const host = await activeTrigger();
		await host.deactivate();
		world.service.addFault({ ...fault, times: 1_000 });
		await host.activate('update');
		const { check } = await host.startTrigger('update');
		await check();
		expect(host.failedExecutions).toHaveLength(1);
		world.service.clearFaults();
		await check();
		expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
		for (const { targetUrl } of world.webhooks) expect(targetUrl).toContain(host.node.webhookId);
	});

	it.each(['never', 'deactivated a moment ago'])(
		'is refused each time when the workflow was not active before: its owner is there to see it (%s)',
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

	it('is refused when the service refuses it: only a person can correct that', async () => {
		const host = await activeTrigger();
		await host.deactivate();
		world.service.addFault({ kind: 'status', status: 400, times: 9, match: { method: 'POST' } });
		await expect(host.activate('update')).rejects.toThrow('status 400');
		expect(host.isKnownToProcess).toBe(false);
	});
});

describe('A main process that leads again, after another one has changed the workflow', () => {
	it('keeps the webhooks of the other, and reports those that are lost', async () => {
		const host = await world.activeTrigger(TWO);
		await host.deactivate();
		host.moveToNewProcess(host.savedStaticData, new N8n());
		await host.activate();
		const [kept, lost] = world.webhookIds;
		world.service.removeHook(lost!);
		host.moveToNewProcess(host.savedStaticData, world.n8n);
		await host.activate('leadershipChange');
		const { check } = await host.startTrigger('leadershipChange');
		await check();
		expect(world.webhookIds).toContain(kept);
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([
			textLike(/has been created again: SMS: Reply Received$/),
		]);
	});

	it('shows a person the error of a publication', async () => {
		const host = await world.activeTrigger(TWO);
		const { close } = await host.startTrigger();
		await close();
		host.moveToNewProcess(host.savedStaticData, new N8n());
		await host.deactivate();
		host.moveToNewProcess(host.savedStaticData, world.n8n);
		world.service.addFault({ kind: 'status', status: 401, times: 9 });
		await expect(host.activate('update')).rejects.toThrow('did not accept the API key');
	});
});
