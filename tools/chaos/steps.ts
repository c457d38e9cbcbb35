/** What can happen in a real n8n: the steps of all histories, with values that suit it, and some that only it can take. */
import fc from 'fast-check';
import * as faults from '../histories/faults';
import { inTurn, kindOfStep, type Steps } from '../histories/history';
import type { Oracle } from '../histories/oracle';
import { ACTIVITY_TYPES, anySettings } from '../histories/settings';
import * as steps from '../histories/steps';
import type { Fault } from '../service';
import { comeToRest, MAX_DELAY_MS, type Remedy } from './comeToRest';
import { N8nWorld } from './n8nWorld';

/** The number of a workflow, and of one of its triggers. */
const workflow = fc.constantFrom(0, 1);
const trigger = fc.constantFrom(0, 1);
/** One of our webhooks, by its number modulo how many there are. */
const webhook = fc.nat(9);
const waits = fc.boolean();

/** A step that only a real n8n can take. */
const inN8n = <Values>(
	kind: string,
	run: (world: N8nWorld, values: Values, oracle: Oracle) => Promise<void>,
) =>
	kindOfStep<Values>(kind, async (oracle, values) => {
		if (!(oracle.world instanceof N8nWorld)) throw new Error('This is not a real n8n');
		await run(oracle.world, values, oracle);
	});

/**
 * Faults of a request. They do not include 'Webhook not found': the node cannot tell when the service says so of an
 * existing webhook.
 */
const WRONG: readonly Fault[] = [
	faults.failed(500),
	faults.failed(500, 'after'),
	faults.BUSY,
	faults.failed(404),
	faults.failed(400),
	faults.CUT,
	faults.CUT_AFTERWARDS,
	{ kind: 'half' },
	faults.PAGE,
	{ kind: 'brokenJson' },
	{ kind: 'gateway', who: 'maintenance' },
	{ kind: 'gateway', who: 'firewall' },
	{ kind: 'delay', delayMs: MAX_DELAY_MS / 10 },
	{ kind: 'delay', delayMs: MAX_DELAY_MS },
];

const anyFault = faults.anyFault(WRONG, {
	methods: ['DELETE', 'POST', 'GET', 'DELETE'],
	maxSkip: 3,
	times: fc.oneof(
		{ weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 5, max: 30 }) },
	),
});

const tampering = (what: fc.Arbitrary<'remove' | 'disable' | 'replace'>, weight?: number) =>
	steps.tamper(fc.record({ workflow, what, webhook, checks: fc.constant(0) }), weight);

const anyTampering = tampering(fc.constantFrom('remove', 'disable', 'replace'), 7);

const anyLimit = steps.webhookLimit(fc.record({ room: fc.nat(2) }));

const loseListeners = inN8n<{ workflow: number }>('lose listeners', async (world, values) =>
	world.loseListeners(world.workflows[values.workflow]!),
);

/** Something that goes wrong while n8n is down. */
const mishap = fc.oneof(
	steps.staticData(fc.record({ workflow, isCopied: fc.boolean() })).arbitrary,
	loseListeners(fc.record({ workflow })).arbitrary,
	tampering(fc.constantFrom('remove', 'disable')).arbitrary,
	steps.outage(fc.record({ ms: fc.integer({ min: 1_000, max: 15_000 }) })).arbitrary,
);

/** Creates or removals fail while n8n starts, but lists work: a partial outage of the service. */
const partialOutage = fc.tuple(
	tampering(fc.constantFrom('remove', 'disable')).arbitrary,
	steps.fault(
		faults.anyFault([faults.failed(503), faults.CUT, faults.failed(500)], {
			methods: ['POST', 'POST', 'DELETE'],
			times: fc.integer({ min: 1, max: 60 }),
		}),
	).arbitrary,
);

/** How the service delivers events; times in milliseconds. */
const delivery = inN8n<{ timeoutMs: number; redeliveries: number }>(
	'delivery',
	async (world, { timeoutMs, redeliveries }) => {
		// Retries after a timeout of ten seconds would take too long.
		const retries = timeoutMs === 10_000 ? 0 : redeliveries;
		const times = { deliveryTimeoutMs: timeoutMs, redeliveryDelayMs: 500, redeliveryFactor: 1 };
		world.service.setSwitches({ ...times, redeliveries: retries });
	},
);

const sending = (count: number) =>
	steps.sendEvents(
		fc.record({
			types: fc
				.uniqueArray(fc.constantFrom<string>(...ACTIVITY_TYPES), { minLength: 1 })
				.map((types) => Array.from({ length: count }, () => types).flat()),
			isOneActivity: fc.constant(false),
			copies: fc.constantFrom(1, 2, 3),
			forgedAt: webhook,
			waits,
		}),
	);

const sendEvents = inTurn(
	'send events',
	[
		delivery(
			fc.record({ timeoutMs: fc.constantFrom(10_000, 3_000, 1_000, 300), redeliveries: fc.nat(3) }),
		),
		sending(1),
	],
	24,
);

const rest = inN8n<{ remedy: Remedy }>('rest', (world, { remedy }, oracle) =>
	comeToRest(oracle, world, remedy),
);

/** What goes on in one process of n8n. */
const IN_PROCESS: Steps[] = [
	steps.publish(fc.record({ workflow, waits }), 24),
	steps.unpublish(fc.record({ workflow, waits }), 20),
	steps.change(fc.record({ workflow, trigger, settings: anySettings, waits }), 20),
	steps.fault(anyFault, 16),
	steps.outage(fc.record({ ms: fc.integer({ min: 100, max: 4_000 }) }), 3),
	anyTampering,
	steps.foreignWebhook(
		fc.record({
			workflow,
			url: fc.constantFrom(...steps.ANY_FOREIGN_URL),
			type: fc.constant('paused'),
		}),
		4,
	),
	inTurn(
		'refused removal',
		[
			steps.refusedRemoval(
				fc.record({
					webhook,
					refusal: fc.constantFrom(faults.failed(503), faults.failed(403), faults.CUT),
					times: fc.integer({ min: 1, max: 60 }),
				}),
			),
			tampering(fc.constant('disable')),
		],
		5,
	),
	anyLimit,
	inTurn('limit and loss', [anyLimit, tampering(fc.constant('disable'))], 2),
	steps.check(fc.record({ workflow })),
	steps.newKey(fc.constant({})),
	sendEvents,
	steps.listen(fc.record({ workflow, isStart: fc.boolean() }), 10),
];

/** With these weights, restarts of n8n are rare, because each takes several seconds. */
export const ALPHABET: Steps[] = [
	...IN_PROCESS,
	steps.restart(
		fc.record({
			workflow,
			how: fc.constantFrom('kill', 'kill', 'kill', 'stop'),
			afterMs: fc.nat(2_000),
			meanwhile: fc.array(mishap, { maxLength: 2 }),
		}),
		5,
	),
	steps.restart(
		fc.record({
			workflow,
			how: fc.constantFrom('kill', 'stop'),
			afterMs: fc.nat(1_000),
			meanwhile: partialOutage,
			waitMs: fc.nat(12_000),
		}),
		4,
	),
	rest(fc.record({ remedy: fc.constantFrom('timer', 'restart', 'restart') }), 10),
];

/** For `--soak`: one process of n8n lives through all of it, and gets many events. */
export const SOAK_ALPHABET: Steps[] = [
	...IN_PROCESS,
	inTurn(
		'many events',
		[delivery(fc.constant({ timeoutMs: 10_000, redeliveries: 0 })), sending(50)],
		24,
	),
	rest(fc.constant({ remedy: 'timer' }), 5),
];
