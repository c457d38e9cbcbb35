/** `npm run test:queue`: a steady stream of events in n8n's queue mode, while its processes are restarted. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { runCheck } from '../terminal/check';
import { print } from '../terminal/print';
import { triggerWorkflow } from '../host/workflows';
import { packPackage, waitFor } from '../host';
import { startService } from '../service';
import { seededPick } from '../service/support/random';
import { numberFrom } from '../terminal/numberOption';
import { actionWorkflow } from './actionWorkflow';
import { startCluster } from './cluster';
import { startDatabases } from './databases';
import { restartProcesses, PROCESS_KINDS, trackSettled } from './restartProcesses';
import { judge } from './verdict';

/** The limits of the trigger's Batch. */
const BATCH = { maxEvents: 50, maxSeconds: 2 };

const options = new Command('npm run test:queue --')
	.description(
		'Sends events while n8n processes are killed and restarted, and checks that every event runs.',
	)
	.option('--events <n>', 'number of events', numberFrom(1), 5000)
	.option('--rate <n>', 'events per second', numberFrom(0.1, 'any'), 10)
	.option(
		'--short',
		'send only 300 events: half a minute, in which one to three processes restart',
		false,
	)
	.option('--calm', 'restart no process', false)
	.addOption(
		new Option('--end <kinds...>', 'restart only processes of these kinds')
			.choices(PROCESS_KINDS)
			.default(PROCESS_KINDS),
	)
	.addOption(
		new Option(
			'--duplicates <memory>',
			"deliver each event two to four times, with the trigger's Duplicate Memory set to this",
		).choices(['process', 'database']),
	)
	.option('--batch', `run the workflow once for up to ${BATCH.maxEvents} events`, false)
	.option('--kill-workers', 'also kill workers, which makes n8n fail their executions', false)
	.parse()
	.opts<{
		events: number;
		rate: number;
		short: boolean;
		calm: boolean;
		end: string[];
		duplicates?: 'process' | 'database';
		batch: boolean;
		killWorkers: boolean;
	}>();

const eventCount = options.short ? 300 : options.events;
const failedChecks: string[] = [];

function check(what: string, holds: boolean): void {
	print(`${holds ? '✓' : '✗'} ${what}`);
	if (!holds) failedChecks.push(what);
}

function activities(): Array<{ type: 'emailsReplied'; _id: string }> {
	return Array.from({ length: eventCount }, () => ({
		type: 'emailsReplied' as const,
		_id: `act_${randomUUID().replaceAll('-', '')}`,
	}));
}

/** How many other events start between the deliveries of one, at most. */
const SPREAD = 200;

/** Two to four deliveries of each event, some at the same time and some long after. */
function withCopies<T>(events: readonly T[]): T[] {
	const pick = seededPick(1);
	return events
		.flatMap((event, index) =>
			Array.from({ length: 2 + pick(3) }, (_, copy) => ({
				event,
				at: index + (copy === 0 || pick(3) === 0 ? 0 : pick(SPREAD)),
			})),
		)
		.sort((a, b) => a.at - b.at)
		.map(({ event }) => event);
}

void runCheck(async ({ cleanUp, passed }) => {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-queue-'));
	cleanUp.add('remove the files', async () => {
		if (passed() !== false) await rm(folder, { recursive: true, force: true });
	});
	print(`Files and logs: ${folder}`);
	const { path: tarball } = await packPackage(folder);
	const service = await startService({
		requestLogSize: 20_000,
		switches: { redeliveries: 30, redeliveryDelayMs: 500, redeliveryFactor: 1.2 },
	});
	cleanUp.add('stop the local service', () => service.close());
	const databases = await startDatabases(join(folder, 'databases'));
	cleanUp.add('stop the databases', () => databases.stop());
	const cluster = await startCluster({ folder, tarball, databases, workers: 2, webhooks: 2 });
	cleanUp.add('stop n8n', () => cluster.stop());
	print('n8n is running: main, two workers, two webhook processes');
	const database = await databases.connect();
	cleanUp.add('close the connection to the database', () => database.end());
	const { client } = cluster;

	const credential = await client.createCredential({
		name: 'Outreach service',
		type: 'outreachServiceApi',
		data: { baseUrl: service.baseUrl, apiKey: service.apiKey },
	});
	const trigger = await client.createWorkflow(
		triggerWorkflow(credential, {
			events: ['emailsReplied'],
			options: {
				repairMinutes: 1,
				duplicateMemory: options.duplicates ?? 'process',
				...(options.batch && { batch: { values: BATCH } }),
			},
		}),
	);
	await client.activateWorkflow(trigger.id);
	await waitFor(
		'one webhook',
		() => service.hooks(),
		(webhooks) => webhooks.length === 1,
	);
	const actions = await client.createWorkflow(actionWorkflow(credential));
	await client.activateWorkflow(actions.id);

	const began = Date.now();
	const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
	const sent = activities();
	const deliveries = options.duplicates === undefined ? sent : withCopies(sent);
	const emission = service.emitMany(deliveries, { ratePerSecond: options.rate, concurrency: 200 });
	const calls = callActions(cluster.webhookUrl, emission);
	const restarts = options.calm
		? 0
		: await restartProcesses(cluster, emission, {
				kinds: options.end,
				killWorkers: options.killWorkers,
				report: (line) => {
					print(`  ${seconds()}  ${line}`);
				},
			});
	const summary = await emission;
	const called = await calls;
	print(
		`${sent.length} events in ${seconds()}, ${restarts} restarts, ${summary.attempts} deliveries`,
	);

	const mayRepeat = options.duplicates !== 'database';
	await judge(
		{
			...{ database, client, service, trigger, actions, sent, summary, called },
			...{ mayRepeat, eventsPerRun: options.batch ? BATCH.maxEvents : 1 },
			stopsWorkers: !options.calm && options.end.includes('worker'),
		},
		check,
		print,
	);
	await client.deactivateWorkflow(trigger.id);
	const removed = waitFor(
		'no webhook',
		() => service.hooks(),
		(webhooks) => webhooks.length === 0,
	);
	check(
		'deactivation removed the webhook',
		await removed.then(
			() => true,
			() => false,
		),
	);
	return failedChecks.length === 0;
});

/** Starts a burst of actions every few seconds, on any worker. @returns the number of accepted calls */
async function callActions(webhookUrl: string, until: Promise<unknown>): Promise<number> {
	const isDone = trackSettled(until);
	let accepted = 0;
	while (!isDone()) {
		const responses = await Promise.allSettled(
			Array.from({ length: 12 }, () => fetch(`${webhookUrl}webhook/actions`, { method: 'POST' })),
		);
		accepted += responses.filter(
			(response) => response.status === 'fulfilled' && response.value.ok,
		).length;
		await Promise.race([new Promise((resolve) => setTimeout(resolve, 5_000)), until]);
	}
	return accepted;
}
