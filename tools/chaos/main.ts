/** `npm run test:chaos`: random sequences of user actions, crashes and faults in a real n8n. See docs/testing.md. */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import fc from 'fast-check';
import { startOutreachHost } from '../host';
import { anyHistory, runHistory, type History } from '../histories/step';
import { numberFrom, print, runProgram } from '../terminal';
import { checkAfterStep, checkConservation, differences } from './checks';
import { comeToRest, pollProblems, UNAIDED_MS } from './comeToRest';
import { ALPHABET } from './steps';
import { startServiceProxy, startThirdParty } from './surroundings';
import { World, type Environment } from './world';

const MINUTE_MS = 60_000;
/** The maximum number of steps in a history: short enough to shrink a failing one in a few minutes. */
const MAX_STEPS = 25;
/** How long to shrink a failing history. */
const SHRINK_MS = 10 * MINUTE_MS;

const options = new Command('npm run test:chaos --')
	.description(
		'Runs activations, changes, crashes, deliveries, actions and faults in random order, and checks after each step and at each rest what docs/testing.md lists.',
	)
	.option(
		'--seed <n>',
		'seed of the first history; each further one uses the next number',
		numberFrom(0),
		randomInt(2 ** 31),
	)
	.option('--minutes <n>', 'how long to start new histories', numberFrom(0.1, 'any'), 10)
	.option('--short', 'start histories for half a minute only, and shrink no failing one', false)
	.option('--keep-going', 'continue after a failing history, without shrinking it', false)
	.option('--path <path>', 'with --seed and --replay-path: run only that failing history')
	.option('--replay-path <path>', 'see --path')
	.parse()
	.opts<{
		seed: number;
		minutes: number;
		short: boolean;
		keepGoing: boolean;
		path?: string;
		replayPath?: string;
	}>();

type Counts = Record<string, number>;

function add(counts: Counts, more: Readonly<Counts>): void {
	for (const [kind, count] of Object.entries(more)) counts[kind] = (counts[kind] ?? 0) + count;
}

const counted = (counts: Counts) =>
	Object.entries(counts)
		.sort(([, one], [, other]) => other - one)
		.map(([kind, count]) => `${count} × ${kind}`)
		.join(', ');

/**
 * Runs a history from the start, with its own workflows and its own team at the service.
 *
 * @returns how many deliveries got a 2xx, by reason
 * @throws if a check fails after a step, at a rest, or at the end
 */
async function runInN8n(
	environment: Environment,
	history: History<World>,
	beforeStep: (kind: string) => void,
): Promise<Counts> {
	const world = await World.create(environment);
	const afterStep = async (step: string) => {
		const problems = await checkAfterStep(world);
		if (problems.length > 0) throw new Error(`After '${step}':\n  ${problems.join('\n  ')}`);
	};
	try {
		await runHistory(history, world, { beforeStep, afterStep });
		await comeToRest(world, 'restart');
		// Without faults, every deactivation must remove all webhooks of its workflow, and no others.
		for (const workflow of world.workflows) {
			if (workflow.active) await world.setActive(workflow, false);
		}
		await world.settled();
		const remaining = await pollProblems(() => differences(world), UNAIDED_MS);
		const { problems, reasons } = await checkConservation(world);
		problems.push(...remaining, ...(await checkAfterStep(world)));
		if (problems.length > 0) throw new Error(`At the end:\n  ${problems.join('\n  ')}`);
		return { ...reasons };
	} finally {
		await world.clear();
	}
}

/**
 * Generates a random history and runs it. If it fails, finds a shorter one that fails, too.
 *
 * @param run throws if a check fails
 * @returns fast-check's report of the shortest failing history, with the command that repeats it; undefined if the history
 *   passed
 */
async function searchHistory(
	seed: number,
	run: (history: History<World>) => Promise<void>,
): Promise<string | undefined> {
	const { path, replayPath } = options;
	const shrinkMs = options.short || options.keepGoing ? 0 : SHRINK_MS;
	let shrinkUntil = Number.POSITIVE_INFINITY;
	const histories = anyHistory(ALPHABET, {
		maxCommands: MAX_STEPS,
		size: 'max',
		...(replayPath !== undefined && { replayPath }),
	});
	const property = fc.asyncProperty(histories, async (history) => {
		// When the time for shrinking is up, fast-check counts skipped histories as not failing.
		fc.pre(Date.now() < shrinkUntil);
		try {
			await run(history);
		} catch (error) {
			shrinkUntil = Math.min(shrinkUntil, Date.now() + shrinkMs);
			throw error;
		}
	});
	const details = await fc.check(property, {
		seed,
		numRuns: 1,
		endOnFailure: shrinkMs === 0,
		...(path !== undefined && { path }),
	});
	const report = fc.defaultReportMessage(details);
	if (report === undefined) return undefined;
	const replay = /replayPath="([^"]*)"/.exec(report)?.[1] ?? '';
	return `${report}\nTo reproduce: npm run test:chaos -- --seed ${seed} --path '${details.counterexamplePath ?? ''}' --replay-path '${replay}'`;
}

void runProgram('chaos', async ({ folder, atEnd }) => {
	print(`Seed ${options.seed}`);
	const host = await startOutreachHost({
		folder,
		service: { switches: { unknownTypes: 'accept', isFirstScope: 'ignore' } },
		env: {
			// How soon n8n resumes interrupted activations after a crash (default: 15 seconds).
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
		},
	});
	atEnd('stop n8n', () => host.dispose());
	const kinds: Counts = {};
	const reasons: Counts = {};
	let steps = 0;
	const environment: Environment = {
		host,
		proxy: await startServiceProxy(host.service),
		thirdParty: await startThirdParty(),
	};
	const count = (kind: string) => {
		steps += 1;
		add(kinds, { [kind]: 1 });
	};
	const began = Date.now();
	const until = began + (options.short ? 0.5 : options.minutes) * MINUTE_MS;
	let histories = 0;
	let failures = 0;
	for (let { seed } = options; Date.now() < until; seed++) {
		const failure = await searchHistory(seed, async (history) => {
			const [beganAt, before] = [Date.now(), steps];
			histories += 1;
			const report = (outcome: string) => {
				const seconds = Math.round((Date.now() - beganAt) / 1000);
				print(`Seed ${seed}: ${steps - before} steps in ${seconds} s, ${outcome}`);
			};
			try {
				add(reasons, await runInN8n(environment, history, count));
				report('passed');
			} catch (error) {
				report(`failed: ${String(error).split('\n').slice(0, 2).join(' ')}`);
				throw error;
			}
		});
		if (failure !== undefined) {
			failures += 1;
			print(failure);
			if (!options.keepGoing) break;
		}
		if (options.path !== undefined) break;
	}
	const seconds = Math.round((Date.now() - began) / 1000);
	print(`${steps} steps in ${histories} histories, ${seconds} s, seed ${options.seed}:`);
	print(`  ${counted(kinds)}`);
	print(`  deliveries with a 2xx: ${counted(reasons)}`);
	print(
		failures === 0
			? '✓ Every check passed, after each step and at each rest'
			: `✗ ${failures} histories failed`,
	);
	return failures === 0;
});
