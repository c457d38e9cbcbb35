import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
	freePort,
	installIntoUserFolder,
	installN8n,
	n8nEnvironment,
	N8nClient,
	startN8nProcess,
	startReverseProxy,
	waitFor,
	type N8nCommand,
	type N8nProcess,
	type ReverseProxy,
} from '../host';
import type { Databases } from './databases';

/** One process of the cluster. */
export interface Member {
	readonly name: string;
	readonly port: number;
	kill(): Promise<void>;
	start(): Promise<void>;
	stop(): Promise<void>;
}

/** n8n in queue mode: a main process, workers, and webhook processes behind a proxy that asks them whether they are ready. */
export interface Cluster {
	readonly main: Member;
	readonly workers: Member[];
	readonly webhooks: Member[];
	readonly client: N8nClient;
	/** The proxy in front of the webhook processes, with a trailing slash. */
	readonly webhookUrl: string;
	stop(): Promise<void>;
}

export interface ClusterOptions {
	folder: string;
	tarball: string;
	databases: Databases;
	workers: number;
	webhooks: number;
}

/** Starts the processes one after the other, because the main process must create the tables first. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
	const webhookPorts: number[] = [];
	for (let i = 0; i < options.webhooks; i++) webhookPorts.push(await freePort());
	const proxy = await startReverseProxy(webhookPorts);
	const shared = { ...options, proxy, encryptionKey: randomBytes(24).toString('hex') };

	const main = await startMember('main', 'start', await freePort(), shared);
	const client = new N8nClient(`http://127.0.0.1:${main.port}`);
	await waitFor(
		"n8n's REST API",
		() => client.settings(),
		() => true,
		{ timeoutMs: 60_000 },
	);
	await client.setUpOwner();
	const workers: Member[] = [];
	for (let i = 1; i <= options.workers; i++) {
		workers.push(await startMember(`worker-${i}`, 'worker', await freePort(), shared));
	}
	const webhooks: Member[] = [];
	for (const [i, port] of webhookPorts.entries()) {
		webhooks.push(await startMember(`webhook-${i + 1}`, 'webhook', port, shared));
	}
	return {
		main,
		workers,
		webhooks,
		client,
		webhookUrl: proxy.url,
		stop: async () => {
			await Promise.all([main, ...workers, ...webhooks].map((member) => member.kill()));
			await proxy.stop();
		},
	};
}

async function startMember(
	name: string,
	command: N8nCommand,
	port: number,
	shared: ClusterOptions & { proxy: ReverseProxy; encryptionKey: string },
): Promise<Member> {
	const installation = await installN8n();
	const userFolder = join(shared.folder, name);
	await mkdir(userFolder, { recursive: true });
	await installIntoUserFolder(shared.tarball, userFolder);
	const { encryptionKey, proxy, databases } = shared;
	const brokerPort = await freePort();
	const env = {
		...n8nEnvironment(installation.name, {
			userFolder,
			port,
			brokerPort,
			encryptionKey,
			webhookUrl: proxy.url,
		}),
		...databases.env,
		EXECUTIONS_MODE: 'queue',
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		// As docs/operations.md recommends for many events: five processes share the machine and restart repeatedly.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		// How long a killed worker keeps its job locked (n8n's default: one minute).
		QUEUE_WORKER_LOCK_DURATION: '10000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
		QUEUE_WORKER_STALLED_INTERVAL: '5000',
	};
	const start = (): Promise<N8nProcess> =>
		startN8nProcess({
			installation,
			command,
			env,
			healthUrl: `http://127.0.0.1:${port}/healthz/readiness`,
			logFile: join(shared.folder, `${name}.log`),
		});
	let current = await start();
	return {
		name,
		port,
		kill: () => current.kill(),
		stop: () => current.stop(),
		start: async () => {
			current = await start();
		},
	};
}
