/** `npm run test:queue`: n8n's queue mode with several processes, some of them killed, under a steady stream of events. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { triggerWorkflow } from '../host/workflows';
import { packPackage, waitFor } from '../host';
import { startService } from '../service';
import { actionWorkflow } from './actionWorkflow';
import { startCluster } from './cluster';
import { startDatabases } from './databases';
import { disturb, KINDS, watch } from './disturb';
import { judge } from './verdict';

const options = new Command('npm run test:queue --')
	.description('Events while processes of n8n are killed and restarted: every one has to run.')
	.option('--events <n>', 'how many events', Number, 5000)
	.option('--rate <n>', 'how many a second', Number, 10)
	.option('--calm', 'end no process', false)
	.addOption(
		new Option('--end <kinds...>', 'end processes of these kinds alone')
			.choices(KINDS)
			.default(KINDS),
	)
	.option('--kill-workers', 'kill workers too: n8n then fails what they were running', false)
	.parse()
	.opts<{ events: number; rate: number; calm: boolean; end: string[]; killWorkers: boolean }>();

const print = (line: string) => process.stdout.write(`${line}\n`);
const missed: string[] = [];

function check(what: string, holds: boolean): void {
	print(`${holds ? '✓' : '✗'} ${what}`);
	if (!holds) missed.push(what);
}

function activities(): Array<{ type: 'emailsReplied'; _id: string }> {
	return Array.from({ length: options.events }, () => ({
		type: 'emailsReplied' as const,
		_id: `act_${randomUUID().replaceAll('-', '')}`,
	}));
}

async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-queue-'));
	// PostgreSQL, which may run as another user, has to get to its files in there.
	await chmod(folder, 0o711);
	print(`Files and logs: ${folder}`);
	const { path: tarball } = await packPackage(folder);
	const service = await startService({
		requestLogSize: 20_000,
		switches: { redeliveries: 30, redeliveryDelayMs: 500, redeliveryFactor: 1.2 },
	});
	const databases = await startDatabases(join(folder, 'databases'));
	const cluster = await startCluster({ folder, tarball, databases, workers: 2, webhooks: 2 });
	print('n8n runs: main, two workers, two webhook processes');
	const database = await databases.connect();
	const { client } = cluster;

	const credential = await client.createCredential({
		name: 'Outreach service',
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: service.apiKey },
	});
	const trigger = await client.createWorkflow(
		triggerWorkflow(credential, { events: ['emailsReplied'], options: { repairMinutes: 1 } }),
	);
	await client.activateWorkflow(trigger.id);
	await waitFor(
		'one webhook',
		() => service.hooks(),
		(hooks) => hooks.length === 1,
	);
	const actions = await client.createWorkflow(actionWorkflow(credential));
	await client.activateWorkflow(actions.id);

	const began = Date.now();
	const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
	const sent = activities();
	const emission = service.emitMany(sent, { ratePerSecond: options.rate, concurrency: 200 });
	const calls = callActions(cluster.webhooks[0]?.port ?? 0, emission);
	const kills = options.calm
		? 0
		: await disturb(cluster, emission, {
				kinds: options.end,
				killWorkers: options.killWorkers,
				report: (line) => {
					print(`  ${seconds()}  ${line}`);
				},
			});
	const summary = await emission;
	const called = await calls;
	print(
		`${summary.events} events in ${seconds()}, ${kills} processes ended, ${summary.attempts} deliveries`,
	);

	await judge({ database, client, service, trigger, actions, sent, summary, called }, check, print);
	await client.deactivateWorkflow(trigger.id);
	await waitFor(
		'no webhook',
		() => service.hooks(),
		(hooks) => hooks.length === 0,
	);
	check('deactivation removed the webhook', service.hooks().length === 0);
	await database.end();
	await cluster.stop();
	await databases.stop();
	await service.close();
	if (missed.length === 0) await rm(folder, { recursive: true, force: true });
}

/** Has a burst of actions run every few seconds, in whatever worker takes them. @returns how many were taken */
async function callActions(port: number, until: Promise<unknown>): Promise<number> {
	const isOver = watch(until);
	let taken = 0;
	while (!isOver()) {
		const answers = await Promise.allSettled(
			Array.from({ length: 12 }, () =>
				fetch(`http://127.0.0.1:${port}/webhook/actions`, { method: 'POST' }),
			),
		);
		taken += answers.filter((answer) => answer.status === 'fulfilled' && answer.value.ok).length;
		await Promise.race([new Promise((resolve) => setTimeout(resolve, 5_000)), until]);
	}
	return taken;
}

main().then(
	() => process.exit(missed.length === 0 ? 0 : 1),
	(error: unknown) => {
		process.stderr.write(
			`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
		);
		process.exit(1);
	},
);
