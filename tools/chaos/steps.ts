/** What can happen in a history, apart from the operations of the action node. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { z } from 'zod';
import { newActivityId } from '../load/events';
import type { Fault, HookView } from '../service';
import { actionSteps } from './actions';
import { comeToRest, listen, MAX_DELAY_MS, type Remedy } from './rest';
import { ACTIVITY_TYPES, lineOf, settingsArbitrary } from './settings';
import { nothing, steps, type Step } from './step';
import { markPending, requiredWebhooks } from './workflows';
import type { World } from './world';

/** Every trigger checks once a minute, each at a different second. */
const CHECK_MS = 62_000;
/** A check has finished once it has sent no request for this long. */
const CHECK_QUIET_MS = 4_000;

/** The index of a workflow. */
const workflow = fc.constantFrom(0, 1);
/** A trigger, by its indexes. */
const trigger = fc.constantFrom(
	{ workflow: 0, node: 0 },
	{ workflow: 1, node: 0 },
	{ workflow: 1, node: 1 },
);
/** One of our webhooks, by its index modulo their number. */
const webhook = fc.nat(9);

const ownWebhook = ({ ownWebhooks }: World, index: number): HookView | undefined =>
	ownWebhooks[index % Math.max(ownWebhooks.length, 1)];

// A user waits until n8n has finished, or continues immediately.
const activations = (isActive: boolean, weight: number) =>
	steps(
		weight,
		isActive ? 'activate' : 'deactivate',
		fc.record({ workflow, waits: fc.boolean() }),
		{
			isPossible: ({ workflow: index }, { workflows }) => workflows[index]!.active !== isActive,
			run: async ({ workflow: index, waits }, world) => {
				await world.setActive(world.workflows[index]!, isActive);
				if (waits) await world.settled();
			},
		},
	);

/** In an active workflow, changed settings are published immediately. */
const changes = steps(
	20,
	'change',
	fc.record({ trigger, settings: settingsArbitrary, waits: fc.boolean() }),
	{
		run: async ({ trigger: { workflow: index, node }, settings, waits }, world) => {
			const changed = world.workflows[index]!;
			const target = changed.triggers[node]!;
			target.settings = settings;
			if (changed.active) markPending(changed);
			await world.store(changed, target);
			if (!changed.active) return;
			await world.host.server.client.activateWorkflow(changed.id);
			if (waits) await world.settled();
		},
	},
);

/**
 * Faults of a request. They do not include 'Webhook not found': the node cannot tell when the service says so of an
 * existing webhook.
 */
const wrong: fc.Arbitrary<Fault> = fc.oneof(
	fc.constantFrom<Fault>(
		{ kind: 'status', status: 500 },
		{ kind: 'status', status: 500, when: 'after' },
		{ kind: 'status', status: 429, headers: { 'retry-after': '1' } },
		{ kind: 'status', status: 404, body: 'Not Found' },
		{ kind: 'status', status: 400, body: 'Bad Request' },
		{ kind: 'cut' },
		{ kind: 'cut', when: 'after' },
		{ kind: 'half' },
		{ kind: 'html' },
		{ kind: 'brokenJson' },
	),
	fc.integer({ min: 100, max: MAX_DELAY_MS }).map((delayMs): Fault => ({ kind: 'delay', delayMs })),
);

const fault: fc.Arbitrary<Fault> = fc
	.record({
		wrong,
		method: fc.constantFrom('DELETE', 'POST', 'GET', 'DELETE'),
		skip: fc.nat(3),
		times: fc.oneof(
			{ weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
			{ weight: 1, arbitrary: fc.integer({ min: 5, max: 30 }) },
		),
	})
	.map(({ wrong: one, method, skip, times }) => ({ ...one, match: { method }, skip, times }));

/** Whether a fault is more than an outage: if n8n and the node give up because of it, the user must try again. */
const isRefusal = (one: Fault): boolean =>
	one.kind === 'html' ||
	one.kind === 'brokenJson' ||
	(one.kind === 'status' && one.status < 500 && one.status !== 429);

/** Makes the next matching requests fail. */
function applyFault(world: World, one: Fault): void {
	if (one.kind === 'delay') world.slow = true;
	world.refusing ||= isRefusal(one);
	world.host.service.addFault(one);
}

const faults = steps(16, 'fault', fault, {
	run: (one, world) => {
		world.disturb();
		applyFault(world, one);
	},
});

/** The service is unreachable for a while, as during a restart. */
const outages = steps(
	3,
	'service down',
	fc.record({ forMs: fc.integer({ min: 100, max: 4_000 }) }),
	{
		run: ({ forMs }, world) => {
			world.disturb();
			world.environment.proxy.goDownFor(forMs);
		},
	},
);

/** Something happens to one of our webhooks directly at the service. */
type Tampering = { what: 'remove' | 'disable'; webhook: number };

const tampering: fc.Arbitrary<Tampering> = fc.record({
	what: fc.constantFrom('remove' as const, 'disable' as const),
	webhook,
});

function tamper(world: World, { what, webhook: index }: Tampering): void {
	const { service } = world.host;
	const lost = ownWebhook(world, index);
	if (lost === undefined) return;
	markLoss(world, lost);
	world.coverage.byHand(() =>
		what === 'remove' ? service.removeHook(lost._id) : service.disableHook(lost._id),
	);
}

/** Marks that a webhook will be missing, and which workflow has to report it. */
function markLoss(world: World, lost: HookView): void {
	const isFirstTrouble = !world.disturbed;
	const areOnlyLosses = world.workflows.some(
		({ mustReportSince }) => mustReportSince !== undefined,
	);
	world.disturbed = true;
	world.everDisturbed = true;
	const found = world.triggerAt(lost.targetUrl);
	if (found === undefined || !(isFirstTrouble || areOnlyLosses)) return;
	const isNeeded = requiredWebhooks(world.workflows).includes(lineOf(lost));
	if (isNeeded && found.trigger.settings.reportProblems) {
		found.workflow.mustReportSince ??= Date.now();
	}
}

const losses = steps(7, 'tamper with a webhook', tampering, {
	run: (values, world) => tamper(world, values),
});

/**
 * Suffixes that turn one of our URLs into the target URL of a foreign webhook. A trigger owns what has its path and the
 * query that it writes (D7).
 */
const FOREIGN_ENDINGS = [
	'',
	'2?event=paused',
	'/?event=paused',
	'?event=paused&copy=1',
	'?source=paused&event=paused',
	'?source=paused',
];

/** Another client creates a webhook whose target URL starts like one of ours. */
const foreignWebhooks = steps(
	4,
	'foreign webhook',
	fc.record({ trigger, ending: fc.constantFrom(...FOREIGN_ENDINGS) }),
	{
		run: ({ trigger: { workflow: index, node }, ending }, world) => {
			const { webhookUrl } = world.workflows[index]!.triggers[node]!;
			const { host, team } = world;
			const targetUrl = `${webhookUrl}${ending}`;
			world.addForeign(host.service.addHook({ targetUrl, type: 'paused', team }));
		},
	},
);

/** Something that goes wrong while n8n is down. */
type Mishap =
	| { what: 'lost route' | 'lost static data'; workflow: number }
	| Tampering
	| { what: 'service down'; forMs: number }
	| { what: 'fault'; fault: Fault };

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
	fc.record({ what: fc.constant('lost static data' as const), workflow }),
	fc.record({ what: fc.constant('lost route' as const), workflow }),
	tampering,
	fc.record({
		what: fc.constant('service down' as const),
		forMs: fc.integer({ min: 1_000, max: 15_000 }),
	}),
);

async function goWrong(world: World, one: Mishap): Promise<void> {
	if (one.what === 'fault') applyFault(world, one.fault);
	else if (one.what === 'service down') world.environment.proxy.goDownFor(one.forMs);
	else if ('webhook' in one) tamper(world, one);
	else {
		world.staticDataLost ||= one.what === 'lost static data';
		const sql =
			one.what === 'lost route'
				? 'DELETE FROM webhook_entity WHERE workflowId = $1'
				: 'UPDATE workflow_entity SET staticData = NULL WHERE id = $1';
		await world.query(z.unknown(), sql, [world.workflows[one.workflow]!.id]);
	}
}

/** Creates or removals fail while n8n starts, but lists work: a partial outage of the service. */
const partialOutage: fc.Arbitrary<Mishap[]> = fc
	.tuple(
		fc.array(tampering, { minLength: 1, maxLength: 2 }),
		fc.record({
			wrong: fc.constantFrom<Fault>(
				{ kind: 'status', status: 503 },
				{ kind: 'cut' },
				{ kind: 'status', status: 500 },
			),
			method: fc.constantFrom('POST', 'POST', 'DELETE'),
			times: fc.integer({ min: 1, max: 60 }),
		}),
	)
	.map(([lost, { wrong: one, method, times }]) => [
		...lost,
		{ what: 'fault', fault: { ...one, match: { method }, times } },
	]);

interface Restart {
	how: 'kill' | 'stop';
	afterMs: number;
	mishaps: Mishap[];
	/** How long to wait afterwards, while n8n activates its workflows and retries failures. */
	waitMs: number;
}

/** Stops or kills n8n, optionally lets something go wrong, and restarts it. */
const restarts = (weight: number, values: fc.Arbitrary<Restart>) =>
	steps(weight, 'restart n8n', values, {
		// An inactive workflow has no route or static data to lose.
		isPossible: ({ mishaps }, { workflows }) =>
			mishaps.every((one) => !('workflow' in one) || workflows[one.workflow]!.active),
		run: async ({ how, afterMs, mishaps, waitMs }, world) => {
			world.disturb();
			await pause(afterMs);
			await world.restart(how, {
				meanwhile: async () => {
					for (const one of mishaps) await goWrong(world, one);
				},
			});
			await pause(waitMs);
		},
	});

/** Waits until every trigger has finished a check. */
async function nextCheck(world: World): Promise<void> {
	await pause(CHECK_MS);
	await world.silence(CHECK_QUIET_MS);
}

/** The service refuses to remove one webhook, several times, and may disable some, starting with that one. */
const refusedRemovals = steps(
	5,
	'refuse a removal',
	fc.record({
		webhook,
		refusal: fc.constantFrom<Fault>(
			{ kind: 'status', status: 503 },
			{ kind: 'status', status: 400 },
			{ kind: 'status', status: 403 },
			{ kind: 'status', status: 500 },
			{ kind: 'cut' },
		),
		times: fc.integer({ min: 1, max: 60 }),
		disabled: fc.nat(3),
		waitsForCheck: fc.boolean(),
	}),
	{
		run: async ({ webhook: index, refusal, times, disabled, waitsForCheck }, world) => {
			const refused = ownWebhook(world, index);
			if (refused === undefined) return;
			world.disturb();
			const match = { method: 'DELETE', path: `/hooks/${refused._id}` };
			applyFault(world, { ...refusal, match, times });
			const count = Math.min(disabled, world.ownWebhooks.length);
			for (let offset = 0; offset < count; offset++) {
				tamper(world, { what: 'disable', webhook: index + offset });
			}
			if (waitsForCheck) await nextCheck(world);
		},
	},
);

/** The team reaches or nearly reaches its maximum number of webhooks. One may also be disabled. */
const webhookLimits = steps(
	3,
	'webhook limit',
	fc.record({ room: fc.nat(2), disabled: fc.option(webhook, { nil: undefined }) }),
	{
		run: ({ room, disabled }, world) => {
			world.disturb();
			world.refusing = true;
			world.host.service.setSwitches({ maxHooks: Math.max(1, world.webhooks.length + room) });
			if (disabled !== undefined) tamper(world, { what: 'disable', webhook: disabled });
		},
	},
);

/** How the service delivers events; times in milliseconds. */
const sending = fc
	.record({
		types: fc.uniqueArray(fc.constantFrom(...ACTIVITY_TYPES), { minLength: 1, maxLength: 4 }),
		/** Whether all types belong to one activity, as for a reply that also warms a lead. */
		isOneActivity: fc.boolean(),
		/** How many copies each webhook receives at the same time. */
		copies: fc.constantFrom(1, 2, 3),
		/** How long the sender waits for a response before it disconnects. */
		timeoutMs: fc.constantFrom(10_000, 3_000, 1_000, 300),
		redeliveries: fc.nat(3),
		redeliveryDelayMs: fc.integer({ min: 100, max: 2_000 }),
		/** Whether to wait for all outcomes before the next step. */
		waits: fc.boolean(),
	})
	// Retries after a timeout of ten seconds would take too long.
	.map((one) => (one.timeoutMs === 10_000 ? { ...one, redeliveries: 0 } : one));

const events = steps(24, 'send events', sending, {
	run: async ({ types, isOneActivity, copies, timeoutMs, waits, ...redelivery }, world) => {
		const { service } = world.host;
		service.setSwitches({ deliveryTimeoutMs: timeoutMs, redeliveryFactor: 1, ...redelivery });
		// A test event ends the test run.
		for (const listening of world.workflows) {
			listening.testRunDisturbed ||= listening.listening && world.disturbed;
		}
		const id = newActivityId();
		const sent = types.map((type) => world.send(type, isOneActivity ? id : undefined, copies));
		if (waits) await Promise.all(sent);
	},
});

/** Listens for a test event, in addition to the active workflow, or stops that. */
const testRuns = (isStart: boolean, weight: number) =>
	steps(weight, isStart ? 'listen' : 'stop listening', fc.record({ workflow }), {
		isPossible: ({ workflow: index }, { workflows }) => workflows[index]!.listening !== isStart,
		run: async ({ workflow: index }, world) => {
			const tested = world.workflows[index]!;
			tested.testRunDisturbed ||= world.disturbed;
			tested.listening = isStart && (await listen(world, tested));
			if (!isStart) await world.host.server.client.stopListening(tested.id);
		},
	});

/** Random steps, weighted by frequency. Restarts of n8n are rare because each takes several seconds. */
export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
	activations(true, 24),
	activations(false, 20),
	changes,
	faults,
	outages,
	losses,
	foreignWebhooks,
	restarts(
		5,
		fc.record({
			how: fc.constantFrom('kill', 'kill', 'kill', 'stop'),
			afterMs: fc.nat(2_000),
			mishaps: fc.array(mishap, { maxLength: 2 }),
			waitMs: fc.constant(0),
		}),
	),
	restarts(
		4,
		fc.record({
			how: fc.constantFrom('kill', 'stop'),
			afterMs: fc.nat(1_000),
			mishaps: partialOutage,
			waitMs: fc.nat(12_000),
		}),
	),
	refusedRemovals,
	webhookLimits,
	steps(1, 'check', nothing, { run: (_, world) => nextCheck(world) }),
	events,
	steps(3, 'occupy n8n', fc.record({ forMs: fc.constantFrom(0, 0, 0, 65_000) }), {
		isPossible: (_, { busy }) => !busy,
		run: ({ forMs }, world) => world.occupy(forMs),
	}),
	steps(3, 'free n8n', nothing, {
		isPossible: (_, { busy }) => busy,
		run: (_, world) => world.free(),
	}),
	actionSteps(9),
	testRuns(true, 4),
	testRuns(false, 6),
	steps(
		10,
		'rest',
		fc.record({ remedy: fc.constantFrom<Remedy>('timer', 'restart', 'restart', 'user') }),
		{ run: ({ remedy }, world) => comeToRest(world, remedy) },
	),
);
