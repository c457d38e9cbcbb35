/** `npm run test:chaos`: random histories of what users, n8n and the service do, in a real n8n; see docs/benchmarks/README.md. */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { startOutreachHost } from '../host';
import { openDoor } from './door';
import { commandFor, distinct, messageOf, type Findings } from './findings';
import { carryOut } from './history';
import { startNeighbour } from './neighbour';
import { search } from './search';

const MINUTE_MS = 60_000;

const options = new Command('npm run test:chaos --')
	.description(
		'Activations, changes, crashes, deliveries, actions and faults in random order: no failure takes a webhook away, what was taken runs once, and at rest exactly the desired webhooks exist.',
	)
	.option('--seed <n>', 'the same seed makes the same histories', Number, randomInt(2 ** 31))
	.option('--steps <n>', 'how many steps at least; 200 without --minutes', Number)
	.option('--minutes <n>', 'for how long histories are begun', Number)
	.option('--keep-going', 'go on after a history that fails, and shorten none', false)
	.option('--verbose', 'print each step as it begins', false)
	.option('--shorten <minutes>', 'how long a failing history may be shortened', Number, 10)
	.option('--path <path>', 'with --seed and --replay-path: only the history that failed')
	.option('--replay-path <path>', 'see --path')
	.parse()
	.opts<{
		seed: number;
		steps?: number;
		minutes?: number;
		keepGoing: boolean;
		verbose: boolean;
		shorten: number;
		path?: string;
		replayPath?: string;
	}>();

const print = (line: string) => process.stdout.write(`${line}\n`);

const counted = (counts: ReadonlyMap<string, number>) =>
	[...counts]
		.sort(([, one], [, other]) => other - one)
		.map(([kind, count]) => `${count} × ${kind}`)
		.join(', ');

function tell({ steps, histories, kinds, reasons, failures }: Findings, seconds: number): void {
	print(`${steps} steps in ${histories} histories, ${seconds} s, seed ${options.seed}:`);
	print(`  ${counted(kinds)}`);
	print(`  deliveries with a 2xx: ${counted(reasons)}`);
	if (failures.length === 0) {
		print(
			'✓ No failure took a webhook away, what was taken ran once, and at every rest the service had exactly the desired webhooks',
		);
		return;
	}
	const kindsOfFailure = distinct(failures);
	print(`✗ ${failures.length} histories failed, in ${kindsOfFailure.length} ways:`);
	for (const { kind, failures: same } of kindsOfFailure) {
		const shortest = same.toSorted((one, other) => one.history.length - other.history.length)[0];
		print(`  ${same.length} × ${kind}`);
		if (shortest)
			print(`      the shortest, ${shortest.history.length} steps: ${commandFor(shortest)}`);
	}
}

async function main(): Promise<boolean> {
	print(`Seed ${options.seed}`);
	const host = await startOutreachHost({
		service: { switches: { unknownTypes: 'accept', isFirstScope: 'ignore' } },
		env: {
			// How soon n8n takes up again what it was killed in; fifteen seconds otherwise.
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
		},
	});
	const surroundings = {
		host,
		door: await openDoor(host.service),
		neighbour: await startNeighbour(),
	};
	const { steps, minutes } = options;
	const began = Date.now();
	const findings = await search(
		{
			...options,
			steps: steps ?? (minutes === undefined ? 200 : Number.POSITIVE_INFINITY),
			forMs: minutes === undefined ? Number.POSITIVE_INFINITY : minutes * MINUTE_MS,
			shortenMs: options.shorten * MINUTE_MS,
		},
		(history) => carryOut(surroundings, history),
		print,
	);
	tell(findings, Math.round((Date.now() - began) / 1000));
	if (findings.failures.length === 0) await host.dispose();
	else {
		print(`n8n's log: ${host.server.logFile}`);
		await host.server.kill();
	}
	return findings.failures.length === 0;
}

main().then(
	(isGood) => process.exit(isGood ? 0 : 1),
	(error: unknown) => {
		process.stderr.write(
			`${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`,
		);
		process.exit(1);
	},
);
