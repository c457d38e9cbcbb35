/** `npm run test:queue`: events in n8n's queue mode, while its processes are restarted. See docs/testing.md. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { deriveSecret } from '../../nodes/OutreachService/model/secret';
import { installN8n, packPackage, waitFor } from '../host';
import { triggerWorkflow } from '../host/workflows';
import { mixed, newActivityId } from '../load/events';
import { inPostgres } from '../load/runs';
import { send, senderTo } from '../load/send';
import { nodeVersion, proved } from '../package/compatibility';
import { startService } from '../service';
import { numberFrom } from '../terminal/numberOption';
import { print } from '../terminal/print';
import { runProgram } from '../terminal/program';
import { actionWorkflow, callActions } from './actions';
import { startCluster } from './cluster';
import { startDatabases } from './databases';
import { PROCESS_KINDS, restartProcesses } from './restartProcesses';
import { checkQueue } from './verdict';

/** The limits of the trigger's Batch. */
const BATCH = { maxEvents: 50, maxSeconds: 2 };
/** Three or four deliveries of each event: some at the same time, some soon and some long after. */
const DUPLICATES = { twiceEvery: 3, againEvery: 1, againAfter: [20, 200] };
const CONCURRENCY = 200;

const options = new Command('npm run test:queue --')
	.description(
		'Sends events while n8n processes are killed and restarted, and checks that every event runs.',
	)
	.option('--events <n>', 'number of events', numberFrom(1), 5000)
	.option('--rate <n>', 'deliveries per second', numberFrom(0.1, 'any'), 10)
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
			"deliver each event three or four times, with the trigger's Duplicate Memory set to this",
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

void runProgram('queue', async ({ folder, cleanUp }) => {
	const { path: tarball } = await packPackage(folder);
	const service = await startService({ requestLogSize: 20_000 });
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
	const hooksAre = (count: number) =>
		waitFor(
			`${count} webhooks`,
			() => service.hooks(),
			(webhooks) => webhooks.length === count,
		);
	const [webhook] = await hooksAre(1);
	const actions = await client.createWorkflow(actionWorkflow(credential));
	await client.activateWorkflow(actions.id);

	const ids = Array.from({ length: options.short ? 300 : options.events }, newActivityId);
	const url = webhook?.targetUrl ?? '';
	const secret = deriveSecret(service.apiKey, url);
	const { deliver, close } = senderTo({ url, secret, redeliveries: 30, connections: CONCURRENCY });
	cleanUp.add('close the connections of the sender', close);
	const began = Date.now();
	const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
	const sending = send(mixed(ids, options.duplicates === undefined ? {} : DUPLICATES), deliver, {
		perSecond: options.rate,
		concurrency: CONCURRENCY,
	});
	const calling = callActions(cluster.webhookUrl, sending);
	const restarts = options.calm
		? 0
		: await restartProcesses(cluster, sending, {
				kinds: options.end,
				killWorkers: options.killWorkers,
				report: (line) => {
					print(`  ${seconds()}  ${line}`);
				},
			});
	const attempts = await sending;
	const called = await calling;
	print(
		`${ids.length} events in ${seconds()}, ${restarts} restarts, ${attempts.length} deliveries`,
	);

	const checks = await checkQueue({
		...{ query: inPostgres(database), client, service, attempts, called },
		...{ trigger: trigger.id, actions: actions.id },
		eventsPerRun: options.batch ? BATCH.maxEvents : 1,
		stopsWorkers: !options.calm && options.end.includes('worker'),
		hasDatabaseMemory: options.duplicates === 'database',
	});
	await client.deactivateWorkflow(trigger.id);
	const isRemoved = await hooksAre(0).then(
		() => true,
		() => false,
	);
	checks.push({ what: 'deactivation removed the webhook', holds: isRemoved });
	for (const { what, holds } of checks) print(`${holds ? '✓' : '✗'} ${what}`);
	const succeeds = checks.every(({ holds }) => holds);
	if (succeeds && process.argv.length === 2) {
		const { version, node } = await installN8n();
		proved({
			...{ n8n: version, node: nodeVersion(node), mode: 'queue mode', engine: 'default' },
			command: 'npm run test:queue',
			result: `${ids.length} events, ${restarts} restarts`,
		});
	}
	return succeeds;
});
