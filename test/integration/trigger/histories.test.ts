/**
 * Whatever n8n, users, the service and others do, in whatever order, and wherever the service fails: `tools/histories` says what
 * happens and what must be true. The world is a local service and one or two n8n's with the same workflow, in this process.
 */
import fc from 'fast-check';

import * as faults from '../../../tools/histories/faults';
import {
	anyHistory,
	inTurn,
	kindOfStep,
	runHistory,
	type Alphabet,
	type History,
} from '../../../tools/histories/history';
import { Oracle } from '../../../tools/histories/oracle';
import * as steps from '../../../tools/histories/steps';
import { DEFAULT_SWITCHES, type SwitchChanges } from '../../../tools/service';
import { tries } from '../../propertyRuns';
import { AT_HOME, HistoryWorld } from '../support/historyWorld';
import { OPEN_MINUTES } from '../support/openMinutes';
import { passTime } from '../support/passTime';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const times = fc.integer({ min: 1, max: 4 });

/** What only the owner of n8n can correct, from a start to the next one. */
const wrongAtHome = kindOfStep(
	'wrong at home',
	fc.tuple(fc.nat(1), fc.constantFrom(...AT_HOME)),
	(oracle, [number, what]) => {
		const n8ns = oracle.world;
		if (!(n8ns instanceof HistoryWorld)) throw new Error('This is another world');
		oracle.disturb('outage');
		oracle.mayNotKnowKey = true;
		n8ns.breakAtHome(n8ns.workflows[number % n8ns.workflows.length]!, what);
	},
);

/** What is wrong when n8n starts. */
const mishap = fc.oneof(
	wrongAtHome,
	steps.fault(
		faults.anyFault(
			[
				faults.failed(400),
				faults.failed(503),
				faults.failed(404),
				faults.BUSY,
				faults.CUT,
				faults.CUT_AFTERWARDS,
				faults.GATEWAYS.maintenance,
				{ kind: 'delay', delayMs: 600_000 },
			],
			{ methods: ['GET', 'POST', 'POST', 'DELETE'], maxSkip: 3, times: fc.constant(20) },
		),
	),
	steps.tamper(0, 'remove', 'disable'),
);

/** What happens at every service. */
const ANYWHERE: Alphabet = [
	{ weight: 2, arbitrary: steps.publish },
	steps.unpublish,
	{ weight: 3, arbitrary: steps.change },
	{
		weight: 2,
		arbitrary: inTurn('reactivate', steps.unpublish, steps.pause(0, 1_500, 30_000), steps.publish),
	},
	steps.listen,
	{
		weight: 3,
		arbitrary: steps.restart(
			fc.record({
				how: fc.constantFrom('kill', 'kill', 'leader'),
				meanwhile: fc.array(mishap, { maxLength: 2 }),
			}),
		),
	},
	{ weight: 3, arbitrary: steps.check(3) },
	// Only what the list has shown: what vanishes before that cannot be told from what a list does not show.
	{ weight: 5, arbitrary: steps.tamper(3, 'remove', 'disable', 'replace') },
	steps.foreignWebhook,
	steps.sendEvents(
		fc.record({
			types: steps.anyTypes,
			isOneActivity: fc.boolean(),
			waits: fc.constant(true),
		}),
	),
];

/** The service refuses and fails in every way, also removals, and its list lacks webhooks. */
const FAILING: Alphabet = [
	steps.tamper(0, 'remove', 'disable', 'replace'),
	steps.incompleteList,
	steps.newKey,
	{
		weight: 3,
		arbitrary: inTurn(
			'new key in an outage',
			steps.fault(faults.anyFault([faults.failed(503), faults.CUT], { methods: ['POST'], times })),
			steps.newKey,
			steps.check(1),
		),
	},
	{
		weight: 2,
		arbitrary: inTurn(
			'unpublish in an outage',
			steps.fault(
				faults.anyFault([faults.failed(400), faults.CUT], { methods: ['GET', 'DELETE'], times }),
			),
			steps.unpublish,
		),
	},
	steps.fault(faults.outage(3)),
	steps.webhookLimit,
	{
		weight: 4,
		arbitrary: steps.fault(
			faults.anyFault(
				[
					...[400, 401, 403, 500, 503].map((status) => faults.failed(status)),
					faults.failed(500, 'after'),
					faults.CUT,
					faults.CUT_AFTERWARDS,
				],
				{ methods: ['POST', 'GET', 'DELETE'], maxSkip: 3 },
			),
		),
	},
];

const { timeout, ...otherGateways } = faults.GATEWAYS;
const delays = (...ms: number[]) => ms.map((delayMs) => ({ kind: 'delay', delayMs }) as const);

/** Gateways respond, and the service is slow. A removal that fails leaves a webhook beside its successor, which delivers, too. */
const SLOW: Alphabet = [
	{
		weight: 6,
		arbitrary: steps.fault(
			fc.oneof(
				faults.anyFault(Object.values(otherGateways), { methods: ['GET', 'POST'], times }),
				faults.anyFault([timeout], { methods: ['GET', 'POST'] }),
				faults.anyFault(delays(3_000, 45_000, 100_000), { methods: ['POST'], times }),
				faults.anyFault(delays(30_000), { methods: ['GET'] }),
			),
		),
	},
];

/** How the service differs from the API. */
const oddities: fc.Arbitrary<SwitchChanges> = fc.record({
	hookUrls: fc.constantFrom('shared', 'oncePerTeam', 'replace', 'update'),
	listDelayMs: fc.constantFrom(0, 0, 5_000, 50_000),
	listShape: fc.constantFrom('list', 'hooks'),
	targetUrlForm: fc.constantFrom('asSent', 'normalized'),
});

/** Where the n8n's are: one alone, or two at different ports, or below different paths of one host. */
const places = fc.constantFrom<Array<string | undefined>>(
	[undefined],
	[undefined],
	[undefined, undefined],
	['/n8n-prod', '/n8n-staging'],
	['', '/n8n'],
);

async function run(
	history: History,
	paths: Array<string | undefined>,
	switches: SwitchChanges = {},
): Promise<void> {
	world.service.clearFaults();
	world.service.clearRequests();
	world.service.setSwitches({ ...DEFAULT_SWITCHES, rateLimit: 'off', ...switches });
	const n8ns = await HistoryWorld.begin(world, paths);
	const oracle = new Oracle(n8ns);
	try {
		await runHistory(history, oracle, async () => {
			if (!n8ns.isBrokenAtHome) expect(await oracle.notAccepted()).toEqual([]);
			expect([...oracle.afterStep(), ...oracle.tooMany()]).toEqual([]);
		});
		await comeToRest(oracle, n8ns);
	} finally {
		// Nothing of a history that failed may go on in the next one.
		oracle.stop();
		world.service.clearFaults();
		for (const one of n8ns.workflows) if (one.active) await n8ns.unpublish(one);
	}
}

/** Once all faults are over, some checks repair everything, and a deactivation leaves nothing behind. */
async function comeToRest(oracle: Oracle, n8ns: HistoryWorld): Promise<void> {
	const { workflows } = n8ns;
	world.service.clearFaults();
	world.service.setSwitches({ maxHooks: 0 });
	for (const one of workflows.filter((broken) => !n8ns.canList(broken))) {
		oracle.beforeRestart(one);
		await n8ns.restart(one, 'kill', async () => undefined);
	}
	for (const one of workflows) {
		if (one.listening) await n8ns.stopListening(one);
		// What a process has left that was killed goes with the next test run.
		if (oracle.webhooks.some(({ targetUrl }) => targetUrl.startsWith(one.triggers[0]!.testUrl))) {
			await n8ns.listen(one);
			await n8ns.stopListening(one);
		}
		// As the documents say: what is left after a kill, or was not listed, goes when the workflow is published again.
		const mayBeLeft = one.mayBeLeft || oracle.troubles.has('incomplete list');
		if (!one.active && mayBeLeft) await n8ns.publish(one);
	}
	const problems = async () => [...oracle.differences(), ...(await oracle.executionProblems())];
	/** One more minute. @returns what n8n has requested */
	const minute = async (): Promise<string[]> => {
		const requests = world.service.requests.length;
		for (const one of workflows) await n8ns.check(one, 1);
		return world.requests(requests);
	};
	const quiet = workflows.filter(({ active }) => active).map(() => 'GET /hooks');
	const repairedWithin = oracle.troubles.has('delay') ? OPEN_MINUTES + 3 : 3;
	for (let passed = 0, quietFor = 0; passed < OPEN_MINUTES + 3 && quietFor < 2; passed++) {
		const isQuiet = (await minute()).join() === quiet.join();
		const left = await problems();
		if (passed + 1 >= repairedWithin) expect(left).toEqual([]);
		quietFor = isQuiet && left.length === 0 ? quietFor + 1 : 0;
	}
	expect(await oracle.notAccepted()).toEqual([]);
	expect([...(await minute()), ...(await minute())]).toEqual([...quiet, ...quiet]);
	for (const one of workflows) if (!one.active) await n8ns.publish(one);
	expect(await problems()).toEqual([]);
	for (const one of workflows) await n8ns.unpublish(one);
	await passTime(61_000);
	expect([...oracle.differences(), ...oracle.afterStep()]).toEqual([]);
}

/** More are searched with `HISTORIES=500`; `SEED` repeats a search. */
const numRuns = Number(process.env.HISTORIES ?? tries(4));
const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

it.each<[string, Alphabet, fc.Arbitrary<SwitchChanges>]>([
	['that refuses and fails', FAILING, fc.constant({})],
	['that is odd and slow, behind gateways', SLOW, oddities],
])(
	'Any history at a service %s ends with the desired webhooks; no failure removes one that works or one of others, and each event runs once',
	async (_, alphabet, switches) => {
		const history = anyHistory([...ANYWHERE, ...alphabet], { maxCommands: 12, size: 'max' });
		await fc.assert(fc.asyncProperty(history, places, switches, run), { numRuns, ...seed });
	},
	Math.max(60_000, numRuns * 30_000),
);
