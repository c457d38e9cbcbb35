import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { freePort, startPostgres } from '../host';
import { spawnGroup } from '../host/processGroup';

/** PostgreSQL and Redis, which n8n's queue mode requires. */
export interface Databases {
	/** n8n's environment variables for both. */
	env: Record<string, string>;
	/** Connects to n8n's database. */
	connect(): Promise<Client>;
	stop(): Promise<void>;
}

/**
 * Starts both on free ports of the loopback interface.
 *
 * @param folder for the files and the log of Redis
 * @throws if one does not start. Redis must be installed (`redis-server`, in Debian's package of that name).
 */
export async function startDatabases(folder: string): Promise<Databases> {
	await mkdir(folder, { recursive: true });
	const redis = await startRedis(folder);
	const postgres = await startPostgres();
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: postgres.host,
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_DATABASE: postgres.database,
			DB_POSTGRESDB_USER: postgres.user,
			DB_POSTGRESDB_PASSWORD: postgres.password,
			DB_POSTGRESDB_POOL_SIZE: '10',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
		},
		connect: () => postgres.connect(),
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
