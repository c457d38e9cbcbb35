import fc from 'fast-check';
import type { Fault } from '../../service';
import { ACTIVITY_TYPES, settingsArbitrary } from '../triggerSettings';
import {
	createByAction,
	deleteByAction,
	deleteManyByAction,
	rotateByAction,
	rotateOwnByAction,
	type Disturbance,
} from './actions';
import { freeN8n, occupyN8n, sendEvents, type Sending } from './deliveries';
import { change, setActive } from './publishing';
import { limitWebhooks, refuseRemoval, waitForCheck, type Refusal } from './refusals';
import { rest } from './rest';
import { restartN8n, type Mishap } from './restart';
import {
	addFault,
	addForeignWebhook,
	FOREIGN_ENDINGS,
	MAX_DELAY_MS,
	takeServiceDown,
	tamperWithWebhook,
} from './service';
import type { Step } from './step';
import { startListening, stopListening } from './testRun';

const workflow = fc.constantFrom(0, 1);
const trigger = fc.constantFrom(0, 1, 2);
const webhook = fc.nat(9);
const downMs = fc.integer({ min: 100, max: 4_000 });

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
	.map(({ wrong, method, skip, times }) => ({ ...wrong, match: { method }, skip, times }));

const lostWebhook: fc.Arbitrary<Mishap> = fc.record({
	what: fc.constantFrom('remove' as const, 'disable' as const),
	webhook,
});

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
	fc.record({ what: fc.constant('lost static data' as const), workflow }),
	fc.record({ what: fc.constant('lost route' as const), workflow }),
	lostWebhook,
	fc.record({
		what: fc.constant('service down' as const),
		forMs: fc.integer({ min: 1_000, max: 15_000 }),
	}),
);

/** Creates or removals fail while n8n starts, but lists work: a partial outage of the service. */
const partialOutage: fc.Arbitrary<Mishap[]> = fc
	.tuple(
		fc.array(lostWebhook, { minLength: 1, maxLength: 2 }),
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
	.map(([lost, { wrong, method, times }]) => [
		...lost,
		{ what: 'fault', fault: { ...wrong, match: { method }, times } },
	]);

const refusal: fc.Arbitrary<Refusal> = fc.constantFrom(
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 400 },
	{ kind: 'status', status: 403 },
	{ kind: 'status', status: 500 },
	{ kind: 'cut' },
);

const removals = fc
	.tuple(webhook, refusal, fc.integer({ min: 1, max: 60 }), fc.nat(3), fc.boolean())
	.map((a) => refuseRemoval(...a));

const sending: fc.Arbitrary<Sending> = fc
	.record({
		types: fc.uniqueArray(fc.constantFrom(...ACTIVITY_TYPES), { minLength: 1, maxLength: 4 }),
		isOneActivity: fc.boolean(),
		copies: fc.constantFrom(1, 2, 3),
		timeoutMs: fc.constantFrom(10_000, 3_000, 1_000, 300),
		redeliveries: fc.nat(3),
		redeliveryDelayMs: fc.integer({ min: 100, max: 2_000 }),
		waits: fc.boolean(),
	})
	// Retries after a timeout of ten seconds would take too long.
	.map((one) => (one.timeoutMs === 10_000 ? { ...one, redeliveries: 0 } : one));

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
	fc.constant({ delayMs: 0, cancelAfterMs: undefined }),
	fc.record({
		delayMs: fc.integer({ min: 100, max: 1_000 }),
		cancelAfterMs: fc.integer({ min: 50, max: 3_000 }),
	}),
);

const action: fc.Arbitrary<Step> = fc.oneof(
	fc.tuple(fc.constantFrom(1, 2, 3), disturbance).map((a) => createByAction(...a)),
	fc.tuple(webhook, disturbance).map((a) => deleteByAction(...a)),
	fc.tuple(fc.boolean(), disturbance).map((a) => deleteManyByAction(...a)),
	fc
		.tuple(fc.constantFrom('', 'a secret from the user'), disturbance)
		.map((a) => rotateByAction(...a)),
	fc.tuple(webhook, disturbance).map((a) => rotateOwnByAction(...a)),
);

/** Random steps, weighted by frequency. Restarts of n8n are rare because each takes several seconds. */
export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 24, arbitrary: fc.tuple(workflow, fc.boolean()).map((a) => setActive(true, ...a)) },
	{ weight: 20, arbitrary: fc.tuple(workflow, fc.boolean()).map((a) => setActive(false, ...a)) },
	{
		weight: 20,
		arbitrary: fc.tuple(trigger, settingsArbitrary, fc.boolean()).map((a) => change(...a)),
	},
	{ weight: 16, arbitrary: fault.map((a) => addFault(a)) },
	{ weight: 3, arbitrary: downMs.map((a) => takeServiceDown(a)) },
	{
		weight: 7,
		arbitrary: fc
			.tuple(fc.constantFrom('remove', 'disable'), webhook)
			.map((a) => tamperWithWebhook(...a)),
	},
	{
		weight: 4,
		arbitrary: fc
			.tuple(trigger, fc.constantFrom(...FOREIGN_ENDINGS))
			.map((a) => addForeignWebhook(...a)),
	},
	{
		weight: 5,
		arbitrary: fc
			.tuple(
				fc.constantFrom('kill', 'kill', 'kill', 'stop'),
				fc.nat(2_000),
				fc.array(mishap, { maxLength: 2 }),
			)
			.map((a) => restartN8n(...a)),
	},
	{
		weight: 4,
		arbitrary: fc
			.tuple(fc.constantFrom('kill', 'stop'), fc.nat(1_000), partialOutage, fc.nat(12_000))
			.map((a) => restartN8n(...a)),
	},
	{ weight: 5, arbitrary: removals },
	{
		weight: 3,
		arbitrary: fc
			.tuple(fc.nat(2), fc.option(webhook, { nil: undefined }))
			.map((a) => limitWebhooks(...a)),
	},
	{ weight: 1, arbitrary: fc.constant(0).map(() => waitForCheck()) },
	{ weight: 24, arbitrary: sending.map((a) => sendEvents(a)) },
	{ weight: 3, arbitrary: fc.constantFrom(0, 0, 0, 65_000).map((a) => occupyN8n(a)) },
	{ weight: 3, arbitrary: fc.constant(0).map(() => freeN8n()) },
	{ weight: 9, arbitrary: action },
	{ weight: 4, arbitrary: workflow.map((a) => startListening(a)) },
	{ weight: 6, arbitrary: workflow.map((a) => stopListening(a)) },
	{
		weight: 10,
		arbitrary: fc.constantFrom('timer', 'restart', 'restart', 'user').map((a) => rest(a)),
	},
);
