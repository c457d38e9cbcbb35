import fc from 'fast-check';
import type { Fault } from '../../service';
import { ACTIVITY_TYPES } from '../events';
import { settingsArbitrary } from '../settings';
import {
	CreateByAction,
	DeleteByAction,
	DeleteManyByAction,
	RotateByAction,
	RotateOwnByAction,
	type Disturbance,
} from './actions';
import { FreeN8n, OccupyN8n, Send, type Sending } from './deliveries';
import { LetCheck, LimitHooks, RefuseRemoval, type Refusal } from './outage';
import { Activate, Change, Deactivate } from './publishing';
import { Rest } from './rest';
import { RestartN8n, type Mishap } from './restart';
import {
	AddFault,
	AddForeignHook,
	CloseDoor,
	FOREIGN_ENDINGS,
	LONGEST_DELAY_MS,
	TamperWithHook,
} from './service';
import type { Step } from './step';
import { Listen, StopListening } from './testRun';

const workflow = fc.constantFrom(0, 1);
const trigger = fc.constantFrom(0, 1, 2);
const hook = fc.nat(9);
const downMs = fc.integer({ min: 100, max: 4_000 });

/**
 * What can go wrong with a request. 'Webhook not found' is not among it: a service that says so of a webhook that it
 * has cannot be seen through.
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
	fc
		.integer({ min: 100, max: LONGEST_DELAY_MS })
		.map((delayMs): Fault => ({ kind: 'delay', delayMs })),
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

const lostHook: fc.Arbitrary<Mishap> = fc.record({
	what: fc.constantFrom('remove' as const, 'disable' as const),
	hook,
});

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
	fc.record({ what: fc.constant('lost static data' as const), workflow }),
	fc.record({ what: fc.constant('lost route' as const), workflow }),
	lostHook,
	fc.record({
		what: fc.constant('service down' as const),
		forMs: fc.integer({ min: 1_000, max: 15_000 }),
	}),
);

/** Creates or removals fail while n8n starts, and lists work: what a service does that is short of something. */
const partialOutage: fc.Arbitrary<Mishap[]> = fc
	.tuple(
		fc.array(lostHook, { minLength: 1, maxLength: 2 }),
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
	.tuple(hook, refusal, fc.integer({ min: 1, max: 60 }), fc.nat(3), fc.boolean())
	.map((a) => new RefuseRemoval(...a));

const sending: fc.Arbitrary<Sending> = fc
	.record({
		types: fc.uniqueArray(fc.constantFrom(...ACTIVITY_TYPES), { minLength: 1, maxLength: 4 }),
		isOneActivity: fc.boolean(),
		copies: fc.constantFrom(1, 2, 3),
		timeoutMs: fc.constantFrom(10_000, 3_000, 1_000, 300),
		redeliveries: fc.nat(3),
		redeliveryDelayMs: fc.integer({ min: 100, max: 2_000 }),
		isPatient: fc.boolean(),
	})
	// Somebody who waits for ten seconds does not come again four times.
	.map((one) => (one.timeoutMs === 10_000 ? { ...one, redeliveries: 0 } : one));

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
	fc.constant({ delayMs: 0, cancelAfterMs: undefined }),
	fc.record({
		delayMs: fc.integer({ min: 100, max: 1_000 }),
		cancelAfterMs: fc.integer({ min: 50, max: 3_000 }),
	}),
);

const action: fc.Arbitrary<Step> = fc.oneof(
	fc.tuple(fc.constantFrom(1, 2, 3), disturbance).map((a) => new CreateByAction(...a)),
	fc.tuple(hook, disturbance).map((a) => new DeleteByAction(...a)),
	fc.tuple(fc.boolean(), disturbance).map((a) => new DeleteManyByAction(...a)),
	fc
		.tuple(fc.constantFrom('', 'a secret that the user gave'), disturbance)
		.map((a) => new RotateByAction(...a)),
	fc.tuple(hook, fc.boolean(), disturbance).map((a) => new RotateOwnByAction(...a)),
);

/** Steps with how often each comes. A start of n8n takes several seconds, so that it is rare. */
export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 24, arbitrary: fc.tuple(workflow, fc.boolean()).map((a) => new Activate(...a)) },
	{ weight: 20, arbitrary: fc.tuple(workflow, fc.boolean()).map((a) => new Deactivate(...a)) },
	{
		weight: 20,
		arbitrary: fc.tuple(trigger, settingsArbitrary, fc.boolean()).map((a) => new Change(...a)),
	},
	{ weight: 16, arbitrary: fault.map((a) => new AddFault(a)) },
	{ weight: 3, arbitrary: downMs.map((a) => new CloseDoor(a)) },
	{
		weight: 7,
		arbitrary: fc
			.tuple(fc.constantFrom('remove', 'disable'), hook)
			.map((a) => new TamperWithHook(...a)),
	},
	{
		weight: 4,
		arbitrary: fc
			.tuple(trigger, fc.constantFrom(...FOREIGN_ENDINGS))
			.map((a) => new AddForeignHook(...a)),
	},
	{
		weight: 5,
		arbitrary: fc
			.tuple(
				fc.constantFrom('kill', 'kill', 'kill', 'stop'),
				fc.nat(2_000),
				fc.array(mishap, { maxLength: 2 }),
			)
			.map((a) => new RestartN8n(...a)),
	},
	{
		weight: 4,
		arbitrary: fc
			.tuple(fc.constantFrom('kill', 'stop'), fc.nat(1_000), partialOutage, fc.nat(12_000))
			.map((a) => new RestartN8n(...a)),
	},
	{ weight: 5, arbitrary: removals },
	{
		weight: 3,
		arbitrary: fc
			.tuple(fc.nat(2), fc.option(hook, { nil: undefined }))
			.map((a) => new LimitHooks(...a)),
	},
	{ weight: 1, arbitrary: fc.constant(0).map(() => new LetCheck()) },
	{ weight: 24, arbitrary: sending.map((a) => new Send(a)) },
	{ weight: 3, arbitrary: fc.constantFrom(0, 0, 0, 65_000).map((a) => new OccupyN8n(a)) },
	{ weight: 3, arbitrary: fc.constant(0).map(() => new FreeN8n()) },
	{ weight: 9, arbitrary: action },
	{ weight: 4, arbitrary: workflow.map((a) => new Listen(a)) },
	{ weight: 6, arbitrary: workflow.map((a) => new StopListening(a)) },
	{
		weight: 10,
		arbitrary: fc.constantFrom('clock', 'restart', 'restart', 'user').map((a) => new Rest(a)),
	},
);
