import fc from 'fast-check';
import type { Fault } from '../../service';
import { settingsArbitrary } from '../settings';
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

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
	fc.record({ what: fc.constant('lost static data' as const), workflow }),
	fc.record({ what: fc.constant('lost route' as const), workflow }),
	fc.record({ what: fc.constantFrom('remove' as const, 'disable' as const), hook }),
	fc.record({
		what: fc.constant('service down' as const),
		forMs: fc.integer({ min: 1_000, max: 15_000 }),
	}),
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
		weight: 7,
		arbitrary: fc
			.tuple(
				fc.constantFrom('kill', 'kill', 'kill', 'stop'),
				fc.nat(2_000),
				fc.array(mishap, { maxLength: 2 }),
			)
			.map((a) => new RestartN8n(...a)),
	},
	{ weight: 4, arbitrary: workflow.map((a) => new Listen(a)) },
	{ weight: 6, arbitrary: workflow.map((a) => new StopListening(a)) },
	{
		weight: 10,
		arbitrary: fc.constantFrom('clock', 'restart', 'restart', 'user').map((a) => new Rest(a)),
	},
);
