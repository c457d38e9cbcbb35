import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
	freePort,
	inPostgres,
	installN8n,
	packageFolder,
	startN8n,
	startPostgres,
	startReverseProxy,
	startServer,
	unpackTarball,
	type N8nServer,
	type Query,
} from '../host';
import type { Program } from '../terminal';

interface Member {
	kind: 'webhook' | 'worker' | 'main';
	name: string;
	server: N8nServer;
}

/** n8n in queue mode: a main process, workers, and webhook processes behind a proxy that asks them whether they are ready. */
export interface Cluster {
	readonly main: N8nServer;
	/** In the order in which they are restarted. */
	readonly members: readonly Member[];
	/** The proxy in front of the webhook processes, with a trailing slash. */
	readonly webhookUrl: string;
	/** Runs a statement in n8n's database. */
	readonly query: Query;
}

/** Redis must be installed (`redis-server`, in Debian's package of that name). @returns n8n's settings for it */
async function startRedis({ folder, atEnd }: Program): Promise<Record<string, string>> {
	const port = await freePort();
	const settings = [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--save',
		'',
		'--appendonly',
		'no',
	];
	const logFile = join(folder, 'redis.log');
	const group = await startServer(
		'Redis',
		['redis-server', ...settings],
		{ env: process.env, cwd: folder, logFile },
		async () => (await readFile(logFile, 'utf8')).includes('Ready to accept connections'),
	);
	atEnd('stop Redis', () => group.kill());
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) };
}

/** Starts PostgreSQL, Redis, a main process, two workers and two webhook processes with the package. */
export async function startCluster(tarball: string, program: Program): Promise<Cluster> {
	const { folder, atEnd } = program;
	const redis = await startRedis(program);
	const postgres = await startPostgres();
	atEnd('stop PostgreSQL', () => postgres.stop());
	const database = await postgres.connect();
	atEnd('close the connection to the database', () => database.end());
	const ports = { 'webhook-1': await freePort(), 'webhook-2': await freePort() };
	const proxy = await startReverseProxy(Object.values(ports));
	atEnd('stop the proxy', () => proxy.stop());

	const installation = await installN8n();
	const env = {
		...redis,
		...postgres.env,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		WEBHOOK_URL: proxy.url,
		EXECUTIONS_MODE: 'queue',
		// As n8n 3 always does.
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		// As docs/operations.md recommends for many events: five processes share the machine and restart repeatedly.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		// How long a killed worker keeps its job locked (n8n's default: one minute).
		QUEUE_WORKER_LOCK_DURATION: '10000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
		QUEUE_WORKER_STALLED_INTERVAL: '5000',
	};
	const start = async (kind: Member['kind'], name: string, port: number): Promise<Member> => {
		const userFolder = join(folder, name);
		await unpackTarball(tarball, packageFolder(userFolder));
		const server = await startN8n({
			installation,
			userFolder,
			port,
			command: kind === 'main' ? 'start' : kind,
			env: { ...env, QUEUE_HEALTH_CHECK_PORT: String(port) },
		});
		atEnd(`stop ${name}`, () => server.kill());
		return { kind, name, server };
	};
	// One after the other, because the main process must create the tables first.
	const main = await start('main', 'main', await freePort());
	const worker = await start('worker', 'worker-1', await freePort());
	const otherWorker = await start('worker', 'worker-2', await freePort());
	const webhook = await start('webhook', 'webhook-1', ports['webhook-1']);
	const otherWebhook = await start('webhook', 'webhook-2', ports['webhook-2']);
	return {
		main: main.server,
		members: [webhook, worker, otherWebhook, main, otherWorker],
		webhookUrl: proxy.url,
		query: inPostgres(database),
	};
}

/**
 * Restarts one process after the other while `until` is pending, and reports each. Kills the main and webhook processes,
 * but shuts workers down gracefully: the execution of a killed worker fails, whichever node started it, and n8n keeps no
 * data to retry it.
 *
 * @returns how many restarts there were
 */
export async function restartProcesses(
	{ members }: Cluster,
	until: Promise<unknown>,
	report: (line: string) => void,
): Promise<number> {
	const isDone = () => Promise.race([pause(10_000, false), until.then(() => true)]);
	let restarts = 0;
	while (!(await isDone())) {
		const { kind, name, server } = members[restarts % members.length]!;
		const isGraceful = kind === 'worker';
		await (isGraceful ? server.stop() : server.kill());
		report(`${isGraceful ? 'shut down' : 'killed'} ${name}`);
		await pause(1_000);
		await server.restart();
		report(`${name} restarted`);
		restarts += 1;
	}
	return restarts;
}
