/** `npm run test:chaos`: random sequences of user actions, crashes and faults in a real n8n. See docs/benchmarks/README.md. */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { runCheck } from '../terminal/check';
import { print } from '../terminal/print';
import { startOutreachHost } from '../host';
import { numberFrom } from '../terminal/numberOption';
import { startServiceProxy } from './serviceProxy';
import { commandFor, distinct, type Findings } from './findings';
import { runHistory } from './runHistory';
import { startThirdParty } from './thirdParty';
import { search } from './search';

const MINUTE_MS = 60_000;

const options = new Command('npm run test:chaos --')
	.description(
		'Runs activations, changes, crashes, deliveries, actions and faults in random order, and checks that no failure removes a webhook, that every accepted event runs once, and that at rest exactly the desired webhooks exist.',
	)
	.option('--seed <n>', 'seed for the random histories', numberFrom(0), randomInt(2 ** 31))
	.option(
		'--steps <n>',
		'minimum number of steps (default: 200, unless --minutes is set)',
		numberFrom(1),
	)
	.option('--minutes <n>', 'how long to start new histories', numberFrom(0.1, 'any'))
	.option('--short', 'start histories for half a minute only, and shorten no failing one', false)
	.option('--keep-going', 'continue after a failing history, without shrinking it', false)
	.option('--verbose', 'print each step as it starts', false)
	.option(
		'--shorten <minutes>',
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
		shorten: number;
		path?: string;
		replayPath?: string;
	}>();

/** Only one of them limits the run; a history that has started always runs to its end. */
function limitsOf({ short, steps, minutes, shorten }: typeof options) {
	const forMinutes = minutes ?? (short ? 0.5 : undefined);
	return {
		steps: steps ?? (forMinutes === undefined ? 200 : Number.POSITIVE_INFINITY),
		forMs: forMinutes === undefined ? Number.POSITIVE_INFINITY : forMinutes * MINUTE_MS,
		shrinkMs: short ? 0 : shorten * MINUTE_MS,
	};
}

const counted = (counts: ReadonlyMap<string, number>) =>
	[...counts]
		.sort(([, one], [, other]) => other - one)
		.map(([kind, count]) => `${count} × ${kind}`)
		.join(', ');

function printFindings(
	{ steps, histories, kinds, reasons, failures }: Findings,
	seconds: number,
): void {
	print(`${steps} steps in ${histories} histories, ${seconds} s, seed ${options.seed}:`);
	print(`  ${counted(kinds)}`);
	print(`  deliveries with a 2xx: ${counted(reasons)}`);
	if (failures.length === 0) {
		print(
			'✓ No failure removed a webhook, every accepted event ran once, and at every rest the service had exactly the desired webhooks',
		);
		return;
	}
	const kindsOfFailure = distinct(failures);
	print(`✗ ${failures.length} histories failed, in ${kindsOfFailure.length} ways:`);
	for (const { kind, failures: same } of kindsOfFailure) {
		const shortest = same.toSorted((one, other) => one.history.length - other.history.length)[0];
		print(`  ${same.length} × ${kind}`);
		if (shortest)
			print(`      shortest (${shortest.history.length} steps): ${commandFor(shortest)}`);
	}
}

void runCheck(async ({ cleanUp, passed }) => {
	print(`Seed ${options.seed}`);
	const host = await startOutreachHost({
		service: { switches: { unknownTypes: 'accept', isFirstScope: 'ignore' } },
		env: {
			// How soon n8n resumes interrupted activations after a crash (default: 15 seconds).
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
		},
	});
	cleanUp.add('stop n8n', async () => {
		if (passed() !== false) {
			await host.dispose();
			return;
		}
		print(`n8n's log: ${host.server.logFile}`);
		await host.server.kill();
	});
	const environment = {
		host,
		proxy: await startServiceProxy(host.service),
		thirdParty: await startThirdParty(),
	};
	const began = Date.now();
	const findings = await search(
		{
			...options,
			...limitsOf(options),
		},
		(history) => runHistory(environment, history),
		print,
	);
	printFindings(findings, Math.round((Date.now() - began) / 1000));
	return findings.failures.length === 0;
});
