/** What can happen in a real n8n: the steps of all histories, with values that suit it, and some that only it can take. */
import fc from 'fast-check';
import * as faults from '../histories/faults';
import { inTurn, kindOfStep, type Alphabet } from '../histories/history';
import type { Oracle } from '../histories/oracle';
import * as steps from '../histories/steps';
import type { Fault } from '../service';
import { comeToRest, MAX_DELAY_MS } from './comeToRest';
import { N8nWorld } from './n8nWorld';

/** A step that only a real n8n can take. */
const inN8n = <Values>(
	kind: string,
	values: fc.Arbitrary<Values>,
	run: (world: N8nWorld, values: Values, oracle: Oracle) => Promise<void> | void,
) =>
	kindOfStep(kind, values, (oracle, chosen) => {
		if (!(oracle.world instanceof N8nWorld)) throw new Error('This is not a real n8n');
		return run(oracle.world, chosen, oracle);
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
	faults.BROKEN_JSON,
	faults.GATEWAYS.maintenance,
	faults.GATEWAYS.firewall,
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

/** Something that goes wrong while n8n is down. */
const mishap = fc.oneof(steps.tamper(0, 'remove', 'disable'), steps.fault(faults.outage(30)));

/** Creates or removals fail while n8n starts, but lists work: a partial outage of the service. */
const partialOutage = fc.tuple(
	steps.tamper(0, 'remove', 'disable'),
	steps.fault(
		faults.anyFault([faults.failed(503), faults.CUT, faults.failed(500)], {
			methods: ['POST', 'POST', 'DELETE'],
			times: fc.integer({ min: 1, max: 60 }),
		}),
	),
);

/** How the service delivers events: how long it waits, in milliseconds, and how often it tries again. */
const delivery = (timeouts: number[], maxRedeliveries: number) =>
	inN8n(
		'delivery',
		fc.tuple(fc.constantFrom(...timeouts), fc.nat(maxRedeliveries)),
		({ service }, [timeoutMs, redeliveries]) => {
			// Retries after a timeout of ten seconds would take too long.
			const retries = timeoutMs === 10_000 ? 0 : redeliveries;
			const times = { deliveryTimeoutMs: timeoutMs, redeliveryDelayMs: 500 };
			service.setSwitches({ ...times, redeliveries: retries });
		},
	);

/** This many events of each type. */
const sending = (count: number) =>
	steps.sendEvents(
		fc.record({
			types: steps.anyTypes.map((types) => Array.from({ length: count }, () => types).flat()),
			isOneActivity: fc.constant(false),
			waits: fc.boolean(),
		}),
	);

const rest = (...remedies: Array<'timer' | 'restart'>) =>
	inN8n('rest', fc.constantFrom(...remedies), (world, remedy, oracle) =>
		comeToRest(oracle, world, remedy),
	);

/** What goes on in one process of n8n. */
const IN_PROCESS: Alphabet = [
	{ weight: 24, arbitrary: steps.publish },
	{ weight: 20, arbitrary: steps.unpublish },
	{ weight: 20, arbitrary: steps.change },
	{ weight: 16, arbitrary: steps.fault(anyFault) },
	{ weight: 3, arbitrary: steps.fault(faults.outage(10)) },
	{ weight: 7, arbitrary: steps.tamper(0, 'remove', 'disable', 'replace') },
	{ weight: 4, arbitrary: steps.foreignWebhook },
	{
		weight: 5,
		arbitrary: inTurn(
			'refused removal',
			steps.refusedRemoval(faults.failed(503), faults.failed(403), faults.CUT),
			steps.tamper(0, 'disable'),
		),
	},
	steps.webhookLimit,
	{
		weight: 2,
		arbitrary: inTurn('limit and loss', steps.webhookLimit, steps.tamper(0, 'disable')),
	},
	steps.check(1),
	steps.newKey,
	{
		weight: 24,
		arbitrary: inTurn('send events', delivery([10_000, 3_000, 1_000, 300], 3), sending(1)),
	},
	{ weight: 5, arbitrary: steps.listen },
];

/** With these weights, restarts of n8n are rare, because each takes several seconds. */
export const ALPHABET: Alphabet = [
	...IN_PROCESS,
	{
		weight: 9,
		arbitrary: steps.restart(
			fc.record({
				how: fc.constantFrom('kill', 'kill', 'stop'),
				afterMs: fc.nat(2_000),
				meanwhile: fc.oneof(fc.array(mishap, { maxLength: 2 }), partialOutage),
				waitMs: fc.constantFrom(0, 0, 3_000, 12_000),
			}),
		),
	},
	{ weight: 10, arbitrary: rest('timer', 'restart', 'restart') },
];

/** For `--soak`: one process of n8n lives through all of it, and gets many events. */
export const SOAK_ALPHABET: Alphabet = [
	...IN_PROCESS,
	{ weight: 24, arbitrary: inTurn('many events', delivery([10_000], 0), sending(50)) },
	{ weight: 5, arbitrary: rest('timer') },
];
