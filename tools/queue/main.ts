/** `npm run test:queue`: events in n8n's queue mode, while its processes are restarted. See docs/testing.md. */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { packPackage } from '../host';
import { activateNewWorkflow, deactivate } from '../host/publishing';
import {
	actionNode,
	chain,
	createServiceCredential,
	triggerWorkflow,
	webhookNode,
} from '../host/workflows';
import { deliverReply, newActivityId, send } from '../load/send';
import { startService } from '../service';
import { numberFrom, print, printChecks, runProgram } from '../terminal';
import { restartProcesses, startCluster } from './cluster';
import { checkQueue } from './verdict';

const CONCURRENCY = 200;
const EVERY_MS = 100;
/** After how many further events n8n has run an event. */
const LATER = 50;
/** A process takes half a minute to start on a busy machine. */
const PERSISTENT = {
	deliveryTimeoutMs: 30_000,
	redeliveries: 90,
	redeliveryDelayMs: 1_000,
};

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
	.parse()
	.opts<{ events: number; short: boolean }>();

/**
 * Every second event is delivered three times: twice at the same time, and once after n8n has run it. The others are
 * delivered once, because a copy would hide that n8n has lost the first.
 */
async function* deliveriesOf(
	ids: readonly string[],
): AsyncGenerator<{ id: string; copies: number }> {
	for (let index = 0; index < ids.length + LATER; index++) {
		const isRepeated = index % 2 === 0;
		const [id, earlier] = [ids[index], ids[index - LATER]];
		if (id !== undefined) {
			await pause(EVERY_MS);
			yield { id, copies: isRepeated ? 2 : 1 };
		}
		if (isRepeated && earlier !== undefined) yield { id: earlier, copies: 1 };
	}
}

const ACTION_PATH = 'actions';

/** Starts a burst of actions every few seconds, on any worker. @returns the number of accepted calls */
async function callActions(webhookUrl: string, until: Promise<unknown>): Promise<number> {
	let accepted = 0;
	let isDone = false;
	const call = async () => {
		const response = await fetch(`${webhookUrl}webhook/${ACTION_PATH}`, { method: 'POST' });
		if (response.ok) accepted += 1;
	};
	while (!isDone) {
		await Promise.allSettled(Array.from({ length: 12 }, call));
		isDone = await Promise.race([pause(5_000, false), until.then(() => true)]);
	}
	return accepted;
}

void runProgram('queue', async (program) => {
	const { path: tarball } = await packPackage(program.folder);
	const service = await startService({ switches: PERSISTENT });
	program.atEnd('stop the local service', () => service.close());
	const cluster = await startCluster(tarball, program);
	print('n8n is running: main, two workers, two webhook processes');
	const { main: server, query, webhookUrl } = cluster;
	const { client } = server;

	const credential = await createServiceCredential({ server, service });
	const trigger = await activateNewWorkflow(
		{ server },
		triggerWorkflow(credential, {
			events: ['emailsReplied'],
			options: { repairMinutes: 1, duplicateMemory: 'database' },
		}),
	);
	// Lists the webhooks whenever it is called.
	const action = actionNode(credential, { resource: 'webhook', operation: 'getAll' });
	const actions = await activateNewWorkflow(
		{ server },
		chain('Actions', [webhookNode(ACTION_PATH), action]),
	);

	const ids = Array.from({ length: options.short ? 300 : options.events }, newActivityId);
	const began = Date.now();
	const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
	const sending = send(
		deliveriesOf(ids),
		({ id, copies }) => deliverReply(service, id, copies),
		CONCURRENCY,
	);
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

	const succeeds = printChecks(
		await checkQueue({
			query,
			client,
			service,
			attempts,
			called,
			trigger: trigger.id,
			actions: actions.id,
		}),
	);
	await deactivate({ server, service }, trigger.id);
	const isRemoved = {
		what: 'deactivation removed the webhook',
		holds: service.hooks().length === 0,
	};
	return printChecks([isRemoved]) && succeeds;
});
