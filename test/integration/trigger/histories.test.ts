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
	type History,
	type Steps,
} from '../../../tools/histories/history';
import { Oracle } from '../../../tools/histories/oracle';
import { ACTIVITY_TYPES, anySettings } from '../../../tools/histories/settings';
import * as steps from '../../../tools/histories/steps';
import { GATEWAYS, type SwitchChanges } from '../../../tools/service';
import { tries } from '../../propertyRuns';
import { AT_HOME, HistoryWorld, type AtHome } from '../support/historyWorld';
import { OPEN_MINUTES } from '../support/openMinutes';
import { passTime } from '../support/passTime';
import { useWorld } from '../support/world';

const world = useWorld({ switches: { rateLimit: 'off' } });

const workflow = fc.nat({ max: 1 });
const webhook = fc.nat({ max: 5 });
const tampering = fc.constantFrom('remove' as const, 'disable' as const, 'replace' as const);
const times = fc.integer({ min: 1, max: 4 });

/** What only the owner of n8n can correct, from a start to the next one. */
const wrongAtHome = kindOfStep<{ workflow: number; what: AtHome }>(
	'wrong at home',
	(oracle, values) => {
		const n8ns = oracle.world;
		if (!(n8ns instanceof HistoryWorld)) throw new Error('This is another world');
		oracle.disturb('outage');
		oracle.mayNotKnowKey = true;
		n8ns.breakAtHome(n8ns.workflows[values.workflow % n8ns.workflows.length]!, values.what);
	},
);

/** What is wrong when n8n starts. */
const mishap = fc.oneof(
	wrongAtHome(fc.record({ workflow, what: fc.constantFrom(...AT_HOME) })).arbitrary,
	steps.fault(
		faults.anyFault(
			[
				faults.failed(400),
				faults.failed(503),
				faults.failed(404),
				faults.BUSY,
				faults.CUT,
				faults.CUT_AFTERWARDS,
				faults.PAGE,
				{ kind: 'delay', delayMs: 600_000 },
			],
			{ methods: ['GET', 'POST', 'POST', 'DELETE'], maxSkip: 3, times: fc.constant(20) },
		),
	).arbitrary,
	steps.tamper(
		fc.record({
			workflow,
			what: fc.constantFrom('remove' as const, 'disable' as const),
			webhook,
			checks: fc.constant(0),
		}),
	).arbitrary,
);

/** What happens at every service. */
const ANYWHERE: Steps[] = [
	steps.publish(fc.record({ workflow }), 2),
	steps.unpublish(fc.record({ workflow, waits: fc.boolean() })),
	steps.change(fc.record({ workflow, trigger: fc.constant(0), settings: anySettings }), 3),
	inTurn(
		'reactivate',
		[
			steps.unpublish(fc.record({ workflow, waits: fc.boolean() })),
			steps.pause(fc.record({ ms: fc.constantFrom(0, 1_500, 30_000) })),
			steps.publish(fc.record({ workflow })),
		],
		2,
	),
	steps.listen(fc.record({ workflow, isStart: fc.boolean() })),
	steps.restart(
		fc.record({
			workflow,
			how: fc.constantFrom('kill', 'kill', 'leader'),
			meanwhile: fc.array(mishap, { maxLength: 2 }),
		}),
		3,
	),
	steps.check(fc.record({ workflow, count: fc.integer({ min: 1, max: 3 }) }), 3),
	// Only what the list has shown: what vanishes before that cannot be told from what a list does not show.
	steps.tamper(fc.record({ workflow, what: tampering, webhook, checks: fc.constant(3) }), 5),
	steps.staticData(fc.record({ workflow, isCopied: fc.boolean() })),
	steps.foreignWebhook(
		fc.record({
			workflow,
			url: fc.constantFrom(...steps.ANY_FOREIGN_URL),
			type: fc.constant('emailsReplied'),
		}),
	),
	steps.sendEvents(
		fc.record({
			types: fc.subarray<string>([...ACTIVITY_TYPES], { minLength: 1 }),
			isOneActivity: fc.boolean(),
			copies: fc.integer({ min: 1, max: 3 }),
			forgedAt: webhook,
		}),
	),
];

/** The service refuses and fails in every way, also removals, and its list lacks webhooks. */
const FAILING: Steps[] = [
	steps.tamper(fc.record({ workflow, what: tampering, webhook, checks: fc.constant(0) })),
	steps.incompleteList(fc.record({ webhook })),
	steps.newKey(fc.constant({})),
	inTurn(
		'new key in an outage',
		[
			steps.fault(faults.anyFault([faults.failed(503), faults.CUT], { methods: ['POST'], times })),
			steps.newKey(fc.constant({})),
			steps.check(fc.record({ workflow })),
		],
		3,
	),
	inTurn(
		'unpublish in an outage',
		[
			steps.fault(
				faults.anyFault([faults.failed(400), faults.CUT], { methods: ['GET', 'DELETE'], times }),
			),
			steps.unpublish(fc.record({ workflow })),
		],
		2,
	),
	steps.outage(fc.constant({ ms: 0 })),
	steps.webhookLimit(fc.record({ room: fc.nat({ max: 2 }) })),
	steps.fault(
		fc.oneof(
			faults.anyFault(
				[400, 401, 403].map((status) => faults.failed(status)),
				{
					methods: ['POST', 'DELETE', 'GET'],
					maxSkip: 3,
				},
			),
			faults.anyFault(
				[
					faults.failed(500),
					faults.failed(503),
					faults.failed(500, 'after'),
					faults.CUT,
					faults.CUT_AFTERWARDS,
				],
				{ methods: ['POST', 'GET', 'DELETE'], maxSkip: 3 },
			),
		),
		4,
	),
];

const gateways = GATEWAYS.filter((who) => who !== 'timeout').map(
	(who) => ({ kind: 'gateway', who }) as const,
);
const delays = (...ms: number[]) => ms.map((delayMs) => ({ kind: 'delay', delayMs }) as const);

/** Gateways respond, and the service is slow. A removal that fails leaves a webhook beside its successor, which delivers, too. */
const SLOW: Steps[] = [
	steps.fault(
		fc.oneof(
			faults.anyFault(gateways, { methods: ['GET', 'POST'], times }),
			faults.anyFault([{ kind: 'gateway', who: 'timeout' }], { methods: ['GET', 'POST'] }),
			faults.anyFault(delays(3_000, 45_000, 100_000), { methods: ['POST'], times }),
			faults.anyFault(delays(30_000), { methods: ['GET'] }),
		),
		6,
	),
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
	world.service.resetSwitches();
	world.service.setSwitches(switches);
	const n8ns = await HistoryWorld.begin(world, paths);
	const oracle = new Oracle(n8ns);
	try {
		await runHistory(history, oracle, {
			afterStep: async () => {
				if (!n8ns.isBrokenAtHome) expect(await oracle.notAccepted()).toEqual([]);
				expect([...oracle.afterStep(), ...oracle.tooMany()]).toEqual([]);
			},
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

it.each<[string, Steps[], fc.Arbitrary<SwitchChanges>]>([
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
