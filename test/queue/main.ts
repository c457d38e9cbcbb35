/** `npm run test:queue`: n8n's queue mode with several processes, some of them killed, under a steady stream of events. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { triggerWorkflow } from '../e2e/workflows';
import { packPackage, waitFor } from '../host';
import { startService } from '../service';
import { actionWorkflow } from './actionWorkflow';
import { startCluster } from './cluster';
import { startDatabases } from './databases';
import { disturb, endings, failures, longestRefusal, runsOf, unfinished, watch } from './steps';

const options = new Command('npm run test:queue --')
	.description('Events while processes of n8n are killed and restarted: every one has to run.')
	.option('--events <n>', 'how many events', Number, 5000)
	.option('--rate <n>', 'how many a second', Number, 15)
	.option('--calm', 'end no process', false)
	.option('--kill-workers', 'kill workers too: n8n then fails what they were running', false)
	.parse()
	.opts<{ events: number; rate: number; calm: boolean; killWorkers: boolean }>();

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

	await waitFor(
		'all executions to end',
		async () => (await unfinished(database, trigger.id)) + (await unfinished(database, actions.id)),
		(open) => open === 0,
		{ timeoutMs: 300_000, everyMs: 1_000 },
	);
	const runs = await runsOf(database, trigger.id);
	const ran = sent.filter(({ _id }) => runs.has(_id)).length;
	const doubled = [...runs.values()].filter((count) => count > 1).length;
	const { died } = await failures(database, trigger.id);
	print(`Executions: ${JSON.stringify(await endings(database, trigger.id))}`);
	check(`every event was taken (${summary.failed} were not)`, summary.failed === 0);
	check(
		`every event ran (${ran} of ${sent.length}; the worker of ${died} died)`,
		ran + died >= sent.length,
	);
	print(`  ran more than once: ${doubled} (${((doubled / sent.length) * 100).toFixed(2)} %)`);
	check(`one webhook is registered (${service.hooks().length})`, service.hooks().length === 1);
	const posts = service.requests.filter(({ method }) => method === 'POST').length;
	check(`it was registered once (${posts} times)`, posts === 1);

	const actionFailures = await failures(database, actions.id);
	check(
		`no action failed (of ${called}; the worker of ${actionFailures.died} died)`,
		actionFailures.failed === 0,
	);
	const refused = longestRefusal(service.requests);
	check(
		`the limit was never exceeded for longer than a window (${Math.round(refused)} ms)`,
		refused <= 2_000,
	);

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
