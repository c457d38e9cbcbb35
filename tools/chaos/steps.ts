/**
 * What can happen in a history: the steps that all histories share, with the values that suit a real n8n, and those that
 * only a real n8n can take.
 */
import fc from 'fast-check';
import { z } from 'zod';
import * as faults from '../histories/faults';
import { inTurn, kindOfStep, noValues, type Steps } from '../histories/step';
import * as steps from '../histories/steps';
import { newActivityId } from '../load/events';
import type { Fault } from '../service';
import { anyAction } from './actions';
import { comeToRest, listen, MAX_DELAY_MS, type Remedy } from './comeToRest';
import { ACTIVITY_TYPES, changedSettings } from './settings';
import type { World } from './world';

/** The number of a workflow. */
const workflow = fc.constantFrom(0, 1);
/** The number of a trigger: that of the first workflow, and both of the second one. */
const trigger = fc.constantFrom(0, 1, 2);
/** One of our webhooks, by its number modulo how many there are. */
const webhook = fc.nat(9);

/**
 * Faults of a request. They do not include 'Webhook not found': the node cannot tell when the service says so of an
 * existing webhook.
 */
const wrong: fc.Arbitrary<Fault> = fc.oneof(
	fc.constantFrom(
		faults.failed(500),
		faults.failedAfterwards(500),
		faults.BUSY,
		faults.refused(404, 'Not Found'),
		faults.refused(400, 'Bad Request'),
		faults.CUT,
		faults.CUT_AFTERWARDS,
		faults.HALF,
		faults.HTML,
		faults.BROKEN_JSON,
	),
	fc.integer({ min: 100, max: MAX_DELAY_MS }).map(faults.delayed),
);

const anyFault = faults.anyFault(wrong, {
	methods: ['DELETE', 'POST', 'GET', 'DELETE'],
	maxSkip: 3,
	times: fc.oneof(
		{ weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 5, max: 30 }) },
	),
});

/** The service is unreachable for a while, as during a restart. */
const outage = kindOfStep<{ forMs: number }, World>('service down', {
	run: ({ forMs }, world) => {
		world.disturb('outage');
		world.environment.proxy.goDownFor(forMs);
	},
});

const anyTampering = steps.tamper(
	fc.record({ what: fc.constantFrom('remove', 'disable'), webhook }),
	7,
);

const disabling = steps.tamper(fc.record({ what: fc.constant('disable'), webhook }));

const anyLimit = steps.webhookLimit(fc.record({ room: fc.nat(2) }));

/** n8n loses the listeners of a workflow. An inactive one has none. */
const loseListeners = kindOfStep<{ workflow: number }, World>('lose listeners', {
	run: async ({ workflow: number }, world) => {
		const { id, active } = world.workflows[number]!;
		if (active) await world.query(z.unknown(), LOSE_LISTENERS, [id]);
	},
});

const LOSE_LISTENERS = 'DELETE FROM webhook_entity WHERE workflowId = $1';

/** Something that goes wrong while n8n is down. */
const mishap = fc.oneof(
	steps.loseStaticData(fc.record({ workflow })).arbitrary,
	loseListeners(fc.record({ workflow })).arbitrary,
	anyTampering.arbitrary,
	outage(fc.record({ forMs: fc.integer({ min: 1_000, max: 15_000 }) })).arbitrary,
);

/** Creates or removals fail while n8n starts, but lists work: a partial outage of the service. */
const partialOutage = fc
	.tuple(
		fc.array(anyTampering.arbitrary, { minLength: 1, maxLength: 2 }),
		steps.fault(
			faults.anyFault(fc.constantFrom(faults.failed(503), faults.CUT, faults.failed(500)), {
				methods: ['POST', 'POST', 'DELETE'],
				times: fc.integer({ min: 1, max: 60 }),
			}),
		).arbitrary,
	)
	.map(([lost, fault]) => [...lost, fault]);

/** The service refuses to remove one webhook, several times. */
const refuseRemoval = kindOfStep<{ webhook: number; refusal: Fault; times: number }, World>(
	'refuse a removal',
	{
		run: ({ webhook: number, refusal, times }, world) => {
			const refused = steps.ownWebhook(world, number);
			if (refused === undefined) return;
			const match = { method: 'DELETE', path: `/hooks/${refused._id}` };
			steps.addFault({ ...refusal, match, times }, world);
		},
	},
);

/** Some webhooks may be disabled meanwhile, starting with the one that cannot be removed. */
const refusedRemovals: Steps<World> = {
	weight: 5,
	arbitrary: fc
		.record({ first: webhook, disabled: fc.nat(3), waitsForCheck: fc.boolean() })
		.chain(({ first, disabled, waitsForCheck }) => {
			const refusal = refuseRemoval(
				fc.record({
					webhook: fc.constant(first),
					refusal: fc.constantFrom(
						faults.failed(503),
						faults.refused(400),
						faults.refused(403),
						faults.failed(500),
						faults.CUT,
					),
					times: fc.integer({ min: 1, max: 60 }),
				}),
			);
			const disabling = Array.from({ length: disabled }, (_, offset) =>
				steps.tamper(fc.constant({ what: 'disable', webhook: first + offset })),
			);
			const check = waitsForCheck ? [steps.check(noValues)] : [];
			return inTurn('refuse a removal', [refusal, ...disabling, ...check]).arbitrary;
		}),
};

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

type Sending = typeof sending extends fc.Arbitrary<infer Values> ? Values : never;

const sendEvents = kindOfStep<Sending, World>('send events', {
	run: async ({ types, isOneActivity, copies, timeoutMs, waits, ...redelivery }, world) => {
		const { service } = world.host;
		service.setSwitches({ deliveryTimeoutMs: timeoutMs, redeliveryFactor: 1, ...redelivery });
		// Its event ends the test run.
		for (const listening of world.workflows) {
			listening.testRunDisturbed ||= listening.listening && world.disturbed;
		}
		const id = newActivityId();
		const sent = types.map((type) => world.send(type, isOneActivity ? id : undefined, copies));
		if (waits) await Promise.all(sent);
	},
});

const occupy = kindOfStep<{ forMs: number }, World>('occupy n8n', {
	isPossible: (_, { busy }) => !busy,
	run: ({ forMs }, world) => world.occupy(forMs),
});

const free = kindOfStep<object, World>('free n8n', {
	isPossible: (_, { busy }) => busy,
	run: (_, world) => world.free(),
});

/** Starts a test run of a workflow, which may be active, too, or stops it. */
const testRuns = (isStart: boolean) =>
	kindOfStep<{ workflow: number }, World>(isStart ? 'listen' : 'stop listening', {
		isPossible: ({ workflow: number }, { workflows }) => workflows[number]!.listening !== isStart,
		run: async ({ workflow: number }, world) => {
			const tested = world.workflows[number]!;
			tested.testRunDisturbed ||= world.disturbed;
			tested.listening = isStart && (await listen(world, tested));
			if (!isStart) await world.host.server.client.stopListening(tested.id);
		},
	});

const rest = kindOfStep<{ remedy: Remedy }, World>('rest', {
	run: ({ remedy }, world) => comeToRest(world, remedy),
});

/** With these weights, restarts of n8n are rare, because each takes several seconds. */
export const ALPHABET: Array<Steps<World>> = [
	steps.activate(fc.record({ workflow, waits: fc.boolean() }), 24),
	steps.deactivate(fc.record({ workflow, waits: fc.boolean() }), 20),
	steps.change(fc.record({ trigger, settings: changedSettings, waits: fc.boolean() }), 20),
	steps.fault(anyFault, 16),
	outage(fc.record({ forMs: fc.integer({ min: 100, max: 4_000 }) }), 3),
	anyTampering,
	steps.foreignWebhook(
		fc.record({
			trigger,
			url: fc.constantFrom(...steps.ANY_FOREIGN_URL),
			type: fc.constant('paused'),
		}),
		4,
	),
	steps.restart(
		fc.record({
			how: fc.constantFrom('kill', 'kill', 'kill', 'stop'),
			afterMs: fc.nat(2_000),
			meanwhile: fc.array(mishap, { maxLength: 2 }),
		}),
		5,
	),
	steps.restart(
		fc.record({
			how: fc.constantFrom('kill', 'stop'),
			afterMs: fc.nat(1_000),
			meanwhile: partialOutage,
			waitMs: fc.nat(12_000),
		}),
		4,
	),
	refusedRemovals,
	anyLimit,
	inTurn('limit and loss', [anyLimit, disabling], 2),
	steps.check(noValues),
	sendEvents(sending, 24),
	occupy(fc.record({ forMs: fc.constantFrom(0, 0, 0, 65_000) }), 3),
	free(noValues, 3),
	anyAction(9),
	testRuns(true)(fc.record({ workflow }), 4),
	testRuns(false)(fc.record({ workflow }), 6),
	rest(fc.record({ remedy: fc.constantFrom('timer', 'restart', 'restart', 'user') }), 10),
];
