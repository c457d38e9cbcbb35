/** `npm run test:chaos`: random histories in a real n8n. See docs/testing.md. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import fc from 'fast-check';
import { freePort, packageFolder, startOutreachHost, waitFor, type OutreachHost } from '../host';
import { anyHistory, runHistory, type History } from '../histories/history';
import { Oracle } from '../histories/oracle';
import { numberFrom, print, runProgram } from '../terminal';
import { comeToRest, unpublishAll } from './comeToRest';
import { growthOf, leftIn, readMemory, type Memory } from './memory';
import { N8nWorld } from './n8nWorld';
import { ALPHABET, SOAK_ALPHABET } from './steps';

const MINUTE_MS = 60_000;
/** The maximum number of steps in a history: short enough to shrink a failing one in a few minutes. */
const MAX_STEPS = 25;
/** A trigger has ended once nothing is left of its webhooks, and no create is open, which one may be for ten minutes. */
const ENDED_WITHIN_MS = 11 * MINUTE_MS;
/** How long to run a history, and to search for a shorter one if it fails. */
const SEARCH_MS = 15 * MINUTE_MS;

const options = new Command('npm run test:chaos --')
	.description(
		'Runs random histories of publications, crashes, deliveries and faults, and checks after each step and at each rest what docs/testing.md lists.',
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
	.option('--soak', 'never restart n8n, send many events, and watch the memory', false)
	.parse()
	.opts<{ seed: number; minutes: number; short: boolean; keepGoing: boolean; soak: boolean }>();

/**
 * Runs a history from the start, with its own workflows and its own team at the service.
 *
 * @throws if a check fails after a step, at a rest, or at the end
 */
async function runInN8n(host: OutreachHost, history: History): Promise<void> {
	const world = await N8nWorld.create(host);
	const oracle = new Oracle(world);
	const expectNone = (when: string, problems: string[]) => {
		if (problems.length > 0) throw new Error(`${when}:\n  ${problems.join('\n  ')}`);
	};
	try {
		await runHistory(history, oracle, async ({ kind }) => {
			await world.notePublished();
			expectNone(`After '${kind}'`, oracle.afterStep());
		});
		await comeToRest(oracle, world, options.soak ? 'timer' : 'restart');
		expectNone('At the end', await unpublishAll(oracle, world));
	} finally {
		oracle.stop();
		await world.clear();
	}
}

/**
 * Generates a random history and runs it. If it fails, finds a shorter one that fails, too.
 *
 * @param run throws if a check fails
 * @returns fast-check's report of the shortest failing history; undefined if the history passed
 */
async function searchHistory(
	seed: number,
	run: (history: History) => Promise<void>,
): Promise<string | undefined> {
	const alphabet = options.soak ? SOAK_ALPHABET : ALPHABET;
	const histories = anyHistory(alphabet, { maxCommands: MAX_STEPS, size: 'max' });
	const details = await fc.check(fc.asyncProperty(histories, run), {
		seed,
		numRuns: 1,
		endOnFailure: options.short || options.keepGoing,
		// Those that fast-check skips then do not count as failing.
		skipAllAfterTimeLimit: SEARCH_MS,
	});
	return fc.defaultReportMessage(details);
}

void runProgram('chaos', async ({ folder, atEnd }) => {
	print(`Seed ${options.seed}`);
	const inspectorPort = await freePort();
	const host = await startOutreachHost({
		folder,
		env: {
			// How soon n8n resumes interrupted activations after a crash (default: 15 seconds).
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// What ran is read from the executions, so n8n must not prune them.
			EXECUTIONS_DATA_PRUNE: 'false',
			NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
		},
	});
	atEnd('stop n8n', () => host.dispose());
	const runtimeFile = join(
		packageFolder(join(folder, 'n8n')),
		'dist/nodes/OutreachService/runtime/runtime.js',
	);
	const until = Date.now() + (options.short ? 0.5 : options.minutes) * MINUTE_MS;
	const memories: Memory[] = [];
	let failures = 0;
	for (let { seed } = options; Date.now() < until; seed++) {
		const failure = await searchHistory(seed, async (history) => {
			const beganAt = Date.now();
			const report = (outcome: string) => {
				print(`Seed ${seed}: ${Math.round((Date.now() - beganAt) / 1000)} s, ${outcome}`);
			};
			try {
				await runInN8n(host, history);
				if (options.soak) memories.push(await readMemory(inspectorPort, runtimeFile));
				const problems = growthOf(memories);
				if (problems.length > 0) throw new Error(problems.join('\n'));
				report(`passed${options.soak ? `, heap ${memories.at(-1)?.heapMb.toFixed(1)} MB` : ''}`);
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
	}
	if (options.soak && failures === 0 && !options.short) {
		await waitFor(
			'nothing to be left of workflows that have ended',
			() => readMemory(inspectorPort, runtimeFile),
			(memory) => leftIn(memory).length === 0,
			{ timeoutMs: ENDED_WITHIN_MS, everyMs: 2_000 },
		);
	}
	print(
		failures === 0
			? '✓ Every check passed, after each step and at each rest'
			: `✗ ${failures} histories failed`,
	);
	return failures === 0;
});
