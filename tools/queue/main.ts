/** `npm run test:queue`: events in n8n's queue mode, while its processes are restarted. See docs/testing.md. */
import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { deriveSecret } from '../load/deriveSecret';
import { itemsOf, packPackage } from '../host';
import {
	ACTION_NAME,
	actionNode,
	actionWorkflow,
	chain,
	createServiceCredential,
	START_NAME,
	triggerWorkflow,
	waitForHookCount,
	webhookNode,
} from '../host/workflows';
import { mixed, newActivityId } from '../load/events';
import { send, senderTo } from '../load/send';
import { startService } from '../service';
import { numberFrom, print, printChecks, runProgram } from '../terminal';
import { restartProcesses, startCluster } from './cluster';
import { checkSharedKey } from './sharedKey';
import { checkQueue } from './verdict';

/** The limits of the trigger's Batch. */
const BATCH = { maxEvents: 50, maxSeconds: 2 };
/** Three or four deliveries of each event: some at the same time, some soon and some long after. */
const DUPLICATES = { twiceEvery: 3, againEvery: 1, againAfter: [20, 200] };
const CONCURRENCY = 200;
const EVENTS_PER_SECOND = 10;

const options = new Command('npm run test:queue --')
	.description(
		'Sends events while n8n processes are killed and restarted, and checks that every event runs.',
	)
	.option('--events <n>', 'number of events', numberFrom(1), 5000)
	.option(
		'--short',
		'send only 300 events: half a minute, in which one to three processes restart',
		false,
	)
	.addOption(
		new Option(
			'--duplicates <memory>',
			"deliver each event three or four times, with the trigger's Ignore Duplicates set to this",
		).choices(['process', 'database']),
	)
	.option(
		'--bulk <n>',
		'instead of events: what a person waits for while a worker deletes so many webhooks with the same key',
		numberFrom(100),
	)
	.option('--batch', `run the workflow once for up to ${BATCH.maxEvents} events`, false)
	.parse()
	.opts<{
		events: number;
		short: boolean;
		duplicates?: 'process' | 'database';
		batch: boolean;
		bulk?: number;
	}>();

const ACTION_PATH = 'actions';

/** Starts a burst of actions every few seconds, on any worker. @returns the number of accepted calls */
async function callActions(webhookUrl: string, until: Promise<unknown>): Promise<number> {
	let accepted = 0;
	let isDone = false;
	while (!isDone) {
		const responses = await Promise.allSettled(
			Array.from({ length: 12 }, () =>
				fetch(`${webhookUrl}webhook/${ACTION_PATH}`, { method: 'POST' }),
			),
		);
		accepted += responses.filter(
			(response) => response.status === 'fulfilled' && response.value.ok,
		).length;
		isDone = await Promise.race([pause(5_000, false), until.then(() => true)]);
	}
	return accepted;
}

void runProgram('queue', async (program) => {
	const { path: tarball } = await packPackage(program.folder);
	const service = await startService();
	program.atEnd('stop the local service', () => service.close());
	const cluster = await startCluster(tarball, program);
	print('n8n is running: main, two workers, two webhook processes');
	const { main: server, query, webhookUrl } = cluster;
	const { client } = server;

	const credential = await createServiceCredential({ server, service });
	if (options.bulk !== undefined) {
		return printChecks(await checkSharedKey(cluster, service, credential, options.bulk));
	}
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
	await waitForHookCount({ service }, 1);
	// Lists the webhooks whenever it is called.
	const action = actionNode(credential, { resource: 'webhook', operation: 'getAll' });
	const actions = await client.createWorkflow(chain('Actions', [webhookNode(ACTION_PATH), action]));
	await client.activateWorkflow(actions.id);

	const byHand = await client.createWorkflow(
		actionWorkflow(credential, { resource: 'webhook', operation: 'getAll' }),
	);
	await client.runWorkflow(byHand.id, START_NAME);
	const [manual] = await client.executions.waitForFinished(byHand.id, 1);
	print(`A manual execution ran on a worker: ${manual?.status ?? 'not at all'}`);

	const ids = Array.from({ length: options.short ? 300 : options.events }, newActivityId);
	const url = service.hooks()[0]?.targetUrl ?? '';
	const secret = deriveSecret(service.apiKey, url);
	const { deliver, close } = senderTo({ url, secret, redeliveries: 30, connections: CONCURRENCY });
	program.atEnd('close the connections of the sender', close);
	const began = Date.now();
	const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
	const sending = send(mixed(ids, options.duplicates === undefined ? {} : DUPLICATES), deliver, {
		perSecond: EVENTS_PER_SECOND,
		concurrency: CONCURRENCY,
	});
	const calling = callActions(webhookUrl, sending);
	const restarts = await restartProcesses(cluster, sending, (line) => {
		print(`  ${seconds()}  ${line}`);
	});
	const attempts = await sending;
	const called = await calling;
	// An execution that a killed webhook process stored and never queued is found when the main process starts.
	await server.kill();
	await server.restart();
	print(
		`${ids.length} events in ${seconds()}, ${restarts} restarts, ${attempts.length} deliveries`,
	);

	const checks = await checkQueue({
		query,
		client,
		service,
		attempts,
		called,
		trigger: trigger.id,
		actions: actions.id,
		eventsPerRun: options.batch ? BATCH.maxEvents : 1,
	});
	await client.deactivateWorkflow(trigger.id);
	checks.push({
		what: 'a manual execution on a worker listed the webhook',
		holds: manual !== undefined && itemsOf(manual, ACTION_NAME).length === 1,
	});
	const isRemoved = await waitForHookCount({ service }, 0).then(
		() => true,
		() => false,
	);
	checks.push({ what: 'deactivation removed the webhook', holds: isRemoved });
	return printChecks(checks);
});
