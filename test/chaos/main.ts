/** `npm run test:chaos`: random histories of what users, n8n and the service do, in a real n8n; see docs/benchmarks/README.md. */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { startOutreachHost } from '../host';
import { openDoor } from './door';
import { carryOut } from './history';
import { search, type Findings } from './search';

const MINUTE_MS = 60_000;

const options = new Command('npm run test:chaos --')
	.description(
		'Activations, changes, crashes and faults in random order: at rest, exactly the wanted webhooks exist.',
	)
	.option('--seed <n>', 'the same seed makes the same histories', Number, randomInt(2 ** 31))
	.option('--steps <n>', 'how many steps at least', Number, 200)
	.option('--shorten <minutes>', 'how long a failing history may be shortened', Number, 10)
	.option('--path <path>', 'with --seed and --replay-path: only the history that failed')
	.option('--replay-path <path>', 'see --path')
	.parse()
	.opts<{
		seed: number;
		steps: number;
		shorten: number;
		path?: string;
		replayPath?: string;
	}>();

const print = (line: string) => process.stdout.write(`${line}\n`);

function tell({ steps, histories, kinds, failure }: Findings, seconds: number): void {
	const counts = [...kinds].sort(([, one], [, other]) => other - one);
	print(`${steps} steps in ${histories} histories, ${seconds} s, seed ${options.seed}:`);
	print(`  ${counts.map(([kind, count]) => `${count} × ${kind}`).join(', ')}`);
	if (failure === undefined) {
		print('✓ At every rest the service had exactly the wanted webhooks, and all were believed');
		return;
	}
	print('✗ The shortest history that fails:');
	for (const [place, step] of failure.history.entries()) print(`  ${place + 1}. ${step}`);
	print(failure.error instanceof Error ? failure.error.message : String(failure.error));
	print(
		`Again: npm run test:chaos -- --seed ${options.seed} --path '${failure.path}' --replay-path '${failure.replayPath}'`,
	);
}

async function main(): Promise<boolean> {
	print(`Seed ${options.seed}`);
	const host = await startOutreachHost({
		service: { switches: { unknownTypes: 'accept', isFirstScope: 'ignore' } },
		env: {
			// Nobody looks at them, and so n8n writes less.
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
			// How soon n8n takes up again what it was killed in; fifteen seconds otherwise.
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
		},
	});
	const door = await openDoor(host.service);
	const began = Date.now();
	const findings = await search(
		{ ...options, shortenMs: options.shorten * MINUTE_MS },
		(history) => carryOut(host, door, history),
		print,
	);
	tell(findings, Math.round((Date.now() - began) / 1000));
	if (findings.failure === undefined) await host.dispose();
	else {
		print(`n8n's log: ${host.server.logFile}`);
		await host.server.kill();
	}
	return findings.failure === undefined;
}

main().then(
	(isGood) => process.exit(isGood ? 0 : 1),
	(error: unknown) => {
		process.stderr.write(
			`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
		);
		process.exit(1);
	},
);
