/** `npm run test:chaos`: random sequences of user actions, crashes and faults in a real n8n. See docs/testing.md. */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { startOutreachHost } from '../host';
import type { Reasons } from '../load/judge';
import { runProgram } from '../terminal/program';
import { numberFrom } from '../terminal/numberOption';
import { print } from '../terminal/print';
import { runHistory, searchHistory } from './history';
import { startServiceProxy } from './serviceProxy';
import { startThirdParty } from './thirdParty';

const MINUTE_MS = 60_000;

const options = new Command('npm run test:chaos --')
	.description(
		'Runs activations, changes, crashes, deliveries, actions and faults in random order, and checks that no failure removes a webhook, that every accepted event runs once, and that at rest exactly the desired webhooks exist.',
	)
	.option(
		'--seed <n>',
		'seed of the first history; each further one uses the next number',
		numberFrom(0),
		randomInt(2 ** 31),
	)
	.option(
		'--steps <n>',
		'minimum number of steps (default: 200, unless --minutes is set)',
		numberFrom(1),
	)
	.option('--minutes <n>', 'how long to start new histories', numberFrom(0.1, 'any'))
	.option('--short', 'start histories for half a minute only, and shrink no failing one', false)
	.option('--keep-going', 'continue after a failing history, without shrinking it', false)
	.option('--verbose', 'print each step as it starts', false)
	.option(
		'--shrink <minutes>',
		'maximum time to shrink a failing history',
		numberFrom(0, 'any'),
		10,
	)
	.option('--path <path>', 'with --seed and --replay-path: run only that failing history')
	.option('--replay-path <path>', 'see --path')
	.parse()
	.opts<{
		seed: number;
		steps?: number;
		minutes?: number;
		short: boolean;
		keepGoing: boolean;
		verbose: boolean;
		shrink: number;
		path?: string;
		replayPath?: string;
	}>();

/** Only one of them limits the run; a history that has started always runs to its end. */
const forMinutes = options.minutes ?? (options.short ? 0.5 : Number.POSITIVE_INFINITY);
const minimumSteps =
	options.steps ?? (forMinutes === Number.POSITIVE_INFINITY ? 200 : Number.POSITIVE_INFINITY);

const counted = (counts: Readonly<Record<string, number>>) =>
	Object.entries(counts)
		.sort(([, one], [, other]) => other - one)
		.map(([kind, count]) => `${count} × ${kind}`)
		.join(', ');

function add(counts: Record<string, number>, more: Readonly<Record<string, number>>): void {
	for (const [kind, count] of Object.entries(more)) counts[kind] = (counts[kind] ?? 0) + count;
}

void runProgram('chaos', async ({ cleanUp, hasFailed }) => {
	print(`Seed ${options.seed}`);
	const host = await startOutreachHost({
		service: { switches: { unknownTypes: 'accept', isFirstScope: 'ignore' } },
		env: {
			// How soon n8n resumes interrupted activations after a crash (default: 15 seconds).
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
		},
	});
	cleanUp.add('stop n8n', async () => {
		if (!hasFailed()) {
			await host.dispose();
			return;
		}
		print(`n8n's log: ${host.server.logFile}`);
		await host.server.kill();
	});
	const kinds: Record<string, number> = {};
	const reasons: Record<string, number> = {};
	let steps = 0;
	const environment = {
		host,
		proxy: await startServiceProxy(host.service),
		thirdParty: await startThirdParty(),
		onStep: (kind: string, text: string) => {
			steps += 1;
			add(kinds, { [kind]: 1 });
			if (options.verbose) print(`  ${new Date().toISOString()} ${text}`);
		},
	};
	const began = Date.now();
	let histories = 0;
	let failures = 0;
	for (
		let { seed } = options;
		steps < minimumSteps && Date.now() < began + forMinutes * MINUTE_MS;
		seed++
	) {
		const failure = await searchHistory(
			async (history) => {
				const [beganAt, before] = [Date.now(), steps];
				histories += 1;
				const report = (outcome: string) => {
					const seconds = Math.round((Date.now() - beganAt) / 1000);
					print(`Seed ${seed}: ${steps - before} steps in ${seconds} s, ${outcome}`);
				};
				try {
					const counts: Reasons = await runHistory(environment, history);
					add(reasons, { ...counts });
					report('passed');
				} catch (error) {
					report(`failed: ${String(error).split('\n').slice(0, 2).join(' ')}`);
					throw error;
				}
			},
			{
				...options,
				seed,
				shrinkMs: options.short || options.keepGoing ? 0 : options.shrink * MINUTE_MS,
			},
		);
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
			? '✓ No failure removed a webhook, every accepted event ran once, and at every rest the service had exactly the desired webhooks'
			: `✗ ${failures} histories failed`,
	);
	return failures === 0;
});
