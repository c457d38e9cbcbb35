/**
 * A start of n8n never throws, and removes nothing that may work (D111). The world is a local service without rate limit
 * and one trigger in one process of n8n.
 */
import fc from 'fast-check';

import * as faults from '../../../tools/histories/faults';
import { carryOutAll, kindOfStep, noValues, type Step } from '../../../tools/histories/step';
import * as steps from '../../../tools/histories/steps';
import { tries } from '../../propertyRuns';
import { textLike } from '../support/matchers';
import { N8n } from '../support/n8n';
import { passTime } from '../support/passTime';
import type { TriggerHost } from '../support/trigger';
import { TriggerSystem, type Start } from '../support/triggerSystem';
import { until } from '../support/until';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

/** Where the service reaches n8n, as far as the name tells. */
const PUBLIC = 'n8n.outreach.example';

const TWO = ['emailsReplied', 'smsReplied'];

/** What can be wrong at home when n8n starts, and how it is corrected. */
type Trouble = { begin: (host: TriggerHost) => void; end: (host: TriggerHost) => void };

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
		begin: (host) => {
			host.hasWebhookUrl = false;
		},
		end: (host) => {
			host.hasWebhookUrl = true;
		},
	},
	'the webhook URL is no URL': {
		begin: (host) => {
			host.webhookHost = '[broken';
		},
		end: (host) => {
			host.webhookHost = PUBLIC;
		},
	},
	'an expression in Trigger On returns nothing': {
		begin: (host) => {
			host.variables = {};
		},
		end: (host) => {
			host.variables = { events: TWO };
		},
	},
	'the credential cannot be read': {
		begin: (host) => host.failCredentialReads(new Error('The database is away')),
		end: (host) => host.failCredentialReads(undefined),
	},
	"an address of n8n's own machine": atHost('localhost'),
};

/** A workflow whose webhooks the service reaches at a public name, as it seems. */
async function publicTrigger(): Promise<TriggerHost> {
	const host = await world.trigger([], { repairMinutes: 1 }, { id: 'started' });
	host.reload({ events: '={{ $vars.events }}', options: { repairMinutes: 1 } });
	host.variables = { events: TWO };
	host.webhookHost = PUBLIC;
	return host;
}

async function activeTrigger(): Promise<TriggerHost> {
	const host = await publicTrigger();
	await host.activate();
	return host;
}

class StartedSystem extends TriggerSystem {
	/** A process that is killed here goes on with its requests for some seconds, unlike a real one. A check finds what they make. */
	protected override readonly checkEveryMs = 60_000;

	override get selected(): string[] {
		return TWO;
	}

	/** After each start, the trigger is live, and the webhooks that worked still do. */
	override async restart(how: Start, given: { meanwhile: () => Promise<void> }): Promise<void> {
		const working = this.enabledTypes;
		await super.restart(how, given);
		await this.host.settled();
		expect(this.host.isKnownToProcess).toBe(true);
		expect(this.enabledTypes).toEqual(expect.arrayContaining(working));
	}

	private get enabledTypes(): Array<string | undefined> {
		return this.ownWebhooks.filter(({ disabled }) => !disabled).map(({ type }) => type);
	}

	/** The next start after everything is corrected, and two checks, make the webhooks complete. */
	async end(mode: Start['mode']): Promise<void> {
		const meanwhile = async () => {
			world.service.clearFaults();
			for (const { end } of Object.values(AT_HOME)) end(this.host);
		};
		await this.restart({ mode, isNewProcess: true }, { meanwhile });
		await this.check(2);
		if (this.isMissingSome) await this.followAdvice();
		expect(this.ownTypes).toEqual(this.selected);
		expect(this.ownWebhooks.some(({ disabled }) => disabled)).toBe(false);
		await this.deactivate();
		expect(this.ownWebhooks).toEqual([]);
		await this.host.stop();
	}
}

const wrongAtHome = kindOfStep<{ what: string }, StartedSystem>('wrong at home', {
	run: ({ what }, { host }) => AT_HOME[what]!.begin(host),
});

const anyFault = faults.anyFault(
	fc.constantFrom(
		...[400, 401, 403, 404, 409, 429].map((status) => faults.refused(status)),
		...[500, 503].map((status) => faults.failed(status)),
		faults.CUT,
		faults.CUT_AFTERWARDS,
		faults.HTML,
		faults.delayed(600_000),
	),
	{ methods: ['GET', 'POST', 'POST', 'DELETE'], maxSkip: 3, times: fc.constant(100) },
);

const trouble = fc.oneof(
	steps.fault(anyFault).arbitrary,
	wrongAtHome(fc.record({ what: fc.constantFrom(...Object.keys(AT_HOME)) })).arbitrary,
);

const tampering = steps.tamper(
	fc.record({ what: fc.constantFrom('remove', 'disable'), webhook: fc.constant(0) }),
);
const mode = fc.constantFrom<Start['mode']>('init', 'leadershipChange');

/** Perhaps a webhook has stopped working; then n8n starts, and has perhaps lost what it stored. */
const anyStart: fc.Arbitrary<Array<Step<StartedSystem>>> = fc
	.record({
		before: fc.array(tampering.arbitrary, { maxLength: 1 }),
		loss: fc.array(steps.loseStaticData(noValues).arbitrary, { maxLength: 1 }),
		troubles: fc.array(trouble, { minLength: 1, maxLength: 3 }),
		how: fc.record({ mode, isNewProcess: fc.constant(true) }),
	})
	.chain(({ before, loss, troubles, how }) =>
		steps
			.restart(fc.constant({ how, meanwhile: [...loss, ...troubles] }))
			.arbitrary.map((start) => [...before, start]),
	);

it('A start with whatever is wrong, at whatever moment, goes live, and removes nothing that may work', async () => {
	await fc.assert(
		fc.asyncProperty(anyStart, mode, async (start, nextMode) => {
			world.service.clearFaults();
			const system = new StartedSystem(world, await publicTrigger());
			await system.activate();
			await carryOutAll(start, system);
			await system.end(nextMode);
		}),
		{ numRuns: tries(5) },
	);
});

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
		'keeps the webhooks, and the second check reports why: %s',
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

/** n8n 1 ends all triggers of a workflow when one of them fails, and starts them again a second later without a `delete`. */
describe('When n8n starts the triggers of an active workflow again, in the mode of their activation', () => {
	it('a row of failing checks goes on, and is reported once', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		let running = await host.startTrigger();
		await running.check();
		world.service.addFault({ kind: 'status', status: 503, times: 1000 });
		for (let starts = 0; starts < 3; starts++) {
			await running.check();
			await running.check();
			await running.close();
			await host.activate();
			running = await host.startTrigger();
		}
		expect(host.failedExecutions).toHaveLength(1);
	});

	it('the workflow stays active although the service is down, and a later check restores what was missing, and reports it', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		await (await host.startTrigger()).close();
		world.service.removeHook(world.webhookIds[1]!);
		world.service.addFault({ kind: 'status', status: 503, times: 100 });
		await host.activate();
		world.service.clearFaults();
		const { check } = await host.startTrigger();
		await check();
		expect(world.webhookTypes.sort()).toEqual([...TWO].sort());
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([
			textLike(/has been created again: SMS: Reply Received$/),
		]);
	});

	it.each(['init', 'activate'] as const)(
		'a loss that a check has found before, and could not report, is reported: mode %s',
		async (mode) => {
			const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
			const running = await host.startTrigger();
			await running.check();
			for (const id of world.webhookIds) world.service.removeHook(id);
			const second = { times: 100, skip: 1, match: { method: 'POST' } };
			world.service.addFault({ kind: 'status', status: 503, ...second });
			await running.check();
			await running.close();
			world.service.clearFaults();
			await host.activate(mode);
			const { check } = await host.startTrigger(mode);
			await check();
			await check();
			const told = host.failedExecutions.map(({ message }) => message).join();
			expect(told).toContain('Email: Reply Received');
			expect(told).toContain('SMS: Reply Received');
		},
	);
});

/** n8n 1 calls `create` at the start of each main process, `trigger()` in the leader alone, and `delete` in any of them. */
describe('A main process that does not lead, and in which n8n publishes a change', () => {
	it.each([
		['has started with the workflow', async (host: TriggerHost) => await host.activate('init')],
		['does not know it', async () => undefined],
	])('leaves the webhooks to the leader if it %s', async (_, start) => {
		const host = await world.activeTrigger(TWO);
		const leader = await host.startTrigger();
		await leader.check();
		host.moveToNewProcess(host.savedStaticData, new N8n());
		await start(host);
		await host.call('delete', 'update');
		await leader.close();
		host.moveToNewProcess(host.savedStaticData, world.n8n);
		await host.activate();
		const before = world.webhookIds;
		expect(before).toHaveLength(2);
		await passTime(150_000);
		expect(world.webhookIds).toEqual(before);
	});

	it('accepts the deliveries of webhooks that the leader has registered since, and filters them as the leader does', async () => {
		const host = await world.activeTrigger(TWO);
		const follower = new N8n();
		host.moveToNewProcess(host.savedStaticData, follower);
		await host.activate('init');
		host.moveToNewProcess(host.savedStaticData, world.n8n);
		await host.startTrigger();
		await host.publish({ events: [...TWO, 'networkReplied'], options: {} });
		host.moveToNewProcess(host.savedStaticData, follower);
		await world.service.emit({ type: 'networkReplied' });
		expect(host.started).toHaveLength(1);
	});

	it.each([
		['shows a person the error of an activation', true],
		['reports no loss after an activation', false],
	])('%s if it leads by then, and the leader has removed the webhooks', async (_, isFailing) => {
		const host = await world.activeTrigger(TWO);
		const leader = await host.startTrigger();
		const next = new N8n();
		host.moveToNewProcess(host.savedStaticData, next);
		await host.activate('init');
		host.moveToNewProcess(host.savedStaticData, world.n8n);
		await leader.close();
		await host.deactivate();
		await passTime(5_000);
		await until(() => world.webhooks.length === 0);
		host.moveToNewProcess(host.savedStaticData, next);
		if (isFailing) {
			world.service.addFault({ kind: 'status', status: 401, times: 9 });
			await expect(host.activate()).rejects.toThrow('did not accept the API key');
			return;
		}
		await host.activate();
		const { check } = await host.startTrigger();
		await check();
		expect(world.webhookTypes).toEqual(TWO);
		expect(host.failedExecutions).toEqual([]);
	});

	it('removes the webhooks if the workflow is deactivated', async () => {
		const host = await world.activeTrigger(TWO);
		const leader = await host.startTrigger();
		host.moveToNewProcess(host.savedStaticData, new N8n());
		await host.call('delete', 'update');
		await leader.close();
		await passTime(5_000);
		await until(() => world.webhooks.length === 0);
	});

	it('removes them a minute later if n8n takes long to stop listening', async () => {
		const host = await world.activeTrigger(TWO);
		const leader = await host.startTrigger();
		host.moveToNewProcess(host.savedStaticData, new N8n());
		host.isSlowToStopListening = true;
		await host.call('delete', 'update');
		await leader.close();
		await passTime(5_000);
		expect(world.webhooks).toHaveLength(2);
		host.isSlowToStopListening = false;
		await passTime(60_000);
		await until(() => world.webhooks.length === 0);
	});
});

describe('A loss that a start of n8n has found', () => {
	const LOST = textLike(/ha(s|ve) been created again: SMS: Reply Received$/);

	async function lostAtStart() {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		world.service.removeHook(world.webhookIds[1]!);
		host.moveToNewProcess();
		const warn = world.spyOnWarnings();
		await host.activate('init');
		return { host, warn };
	}

	/** The reports of two checks after a restart. */
	async function toldByNextProcess(host: TriggerHost) {
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		await check();
		return host.failedExecutions.map(({ message }) => message);
	}

	it('is logged at once', async () => {
		const { warn } = await lostAtStart();
		expect(warn.mock.calls.map(([text]) => text)).toEqual([
			textLike(/^Webhooks of "Trigger" were missing.*SMS: Reply Received/),
		]);
	});

	it('is reported by the next process if this one ends before it could', async () => {
		const { host } = await lostAtStart();
		expect(await toldByNextProcess(host)).toEqual([LOST]);
	});

	it('is reported even if the next process starts while the service fails, and ends', async () => {
		const { host } = await lostAtStart();
		host.moveToNewProcess();
		world.service.addFault({ kind: 'status', status: 503, times: 100 });
		await host.activate('init');
		world.service.clearFaults();
		expect(await toldByNextProcess(host)).toEqual([LOST]);
	});

	it.each(['init', 'update'] as const)(
		'is reported if n8n is killed while it publishes a change, and continues with %s',
		async (mode) => {
			const { host } = await lostAtStart();
			await host.call('delete', 'update');
			host.moveToNewProcess();
			await host.activate(mode);
			const { check } = await host.startTrigger(mode);
			await check();
			expect(host.failedExecutions.map(({ message }) => message)).toEqual([LOST]);
		},
	);

	it('is not reported again after a change was published', async () => {
		const { host } = await lostAtStart();
		await (await host.startTrigger('init')).check();
		await host.publish();
		await (await host.startTrigger('update')).check();
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([LOST]);
	});

	it('is not reported again by every later process', async () => {
		const { host } = await lostAtStart();
		for (let starts = 0; starts < 4; starts++) {
			host.moveToNewProcess();
			await host.activate('init');
			await (await host.startTrigger('init')).check();
		}
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([LOST]);
	});
});

it('A loss that a check has found while the workflow was deactivated and activated again is reported, by the next process if this one ends before it could', async () => {
	const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
	const { check } = await host.startTrigger();
	world.service.disableHook(world.webhookIds[1]!);
	// The check has created the webhook again, and removes the disabled one.
	world.service.addFault({ kind: 'delay', delayMs: 3_000, match: { method: 'DELETE' } });
	const checked = check();
	await until(() => world.requests().some((one) => one.startsWith('DELETE')));
	await host.call('delete');
	await host.activate();
	await checked;
	expect(host.failedExecutions).toEqual([]);
	host.moveToNewProcess();
	await host.activate('init');
	await (await host.startTrigger('init')).check();
	expect(host.failedExecutions.map(({ message }) => message)).toEqual([
		textLike(/created again: SMS: Reply Received$/),
	]);
});

describe('Webhooks that a deactivation has begun to remove in an earlier process', () => {
	const REPORTED = textLike(/has been created again: Email: Reply Received$/);

	it.each(['init', 'update'] as const)(
		'are not reported as lost if they are gone: n8n was killed while it activated the workflow again (%s)',
		async (mode) => {
			const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
			await host.deactivate();
			// n8n has saved nothing of the activation.
			host.moveToNewProcess();
			await host.activate(mode);
			const { check } = await host.startTrigger(mode);
			await check();
			expect(world.webhookTypes).toEqual(['emailsReplied']);
			expect(host.failedExecutions).toEqual([]);
		},
	);

	it('are reported as lost if n8n starts twice, and the service fails the first time: the workflow was active without them', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		await host.deactivate();
		host.moveToNewProcess();
		world.service.addFault({ kind: 'status', status: 503, times: 100 });
		await host.activate('init');
		world.service.clearFaults();
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		expect(world.webhookTypes).toEqual(['emailsReplied']);
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([REPORTED]);
	});

	it('are reported as lost if they vanish after a later process has checked them, which started while the service failed', async () => {
		const host = await world.activeTrigger(['emailsReplied'], { repairMinutes: 1 });
		await host.call('delete', 'update');
		host.moveToNewProcess();
		world.service.addFault({ kind: 'status', status: 503, times: 100 });
		await host.activate('init');
		world.service.clearFaults();
		const running = await host.startTrigger('init');
		await running.check();
		await running.close();
		world.service.removeHook(world.webhookIds[0]!);
		host.moveToNewProcess();
		await host.activate('init');
		const { check } = await host.startTrigger('init');
		await check();
		expect(host.failedExecutions.map(({ message }) => message)).toEqual([REPORTED]);
	});

	it('leave the workflow active if n8n starts its triggers again during the outage in which it was killed', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		await host.call('delete', 'update');
		host.moveToNewProcess();
		world.service.addFault({ kind: 'status', status: 503, times: 1000 });
		await host.activate('init');
		await (await host.startTrigger('init')).close();
		await host.publish();
		await (await host.startTrigger('update')).close();
		await host.activate('update');
		expect(host.isKnownToProcess).toBe(true);
	});

	it('are removed if they still exist, also at an earlier URL', async () => {
		const host = await world.activeTrigger(['emailsReplied']);
		const before = world.webhookIds;
		world.service.addFault({ kind: 'status', status: 401 });
		await host.deactivate();
		expect(world.webhookIds).toEqual(before);
		host.moveToNewProcess();
		host.webhookHost = 'localhost';
		await host.activate();
		expect(world.webhooks.map(({ targetUrl }) => new URL(targetUrl).hostname)).toEqual([
			'localhost',
		]);
	});
});

describe('Another Base URL in the credential is another service', () => {
	/** Moves the credential of a trigger to another service, with a team of its own. */
	async function move(change: (host: TriggerHost) => Promise<unknown>) {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		const running = await host.startTrigger();
		await running.check();
		const [oldSecret] = await world.service.emit({ type: 'emailsReplied' });
		const old = world.webhookIds;
		world.useKey(host, 'key-of-another-service', 'tea_other');
		host.credential.baseUrl = world.service.baseUrl.replace('127.0.0.1', 'localhost');
		const warn = world.spyOnWarnings();
		await change(host);
		await running.check();
		await running.check();
		return { host, old, warn, oldSecret };
	}

	it.each([
		['a check', async () => undefined],
		['a publication', async (host: TriggerHost) => await host.publish()],
	])(
		'leaves the webhooks at the earlier one, names them in the log, and reports no loss after %s',
		async (_, change) => {
			const { host, old, warn } = await move(change);
			expect(
				world.service
					.hooks('tea_other')
					.map(({ type }) => type)
					.sort(),
			).toEqual(TWO);
			expect(world.webhookIds).toEqual(expect.arrayContaining(old));
			const logged = warn.mock.calls.map(([text]) => text);
			expect(logged).toEqual([textLike(/has another Base URL now/)]);
			for (const id of old) expect(logged[0]).toContain(id);
			expect(host.failedExecutions).toEqual([]);
			// What the earlier service still delivers is refused.
			const started = host.started.length;
			const attempts = await world.service.emit({ type: 'smsReplied' });
			expect(attempts.map(({ status }) => status)).toEqual([401]);
			expect(host.started).toHaveLength(started);
		},
	);

	it('unless its list shows the webhooks: then it is the same service at another URL', async () => {
		const host = await world.activeTrigger(TWO, { repairMinutes: 1 });
		const { check } = await host.startTrigger();
		const before = world.webhookIds;
		host.credential.baseUrl = world.service.baseUrl.replace('127.0.0.1', 'localhost');
		const warn = world.spyOnWarnings();
		await check();
		expect(world.webhookIds).toEqual(before);
		expect(warn).not.toHaveBeenCalled();
	});
});
