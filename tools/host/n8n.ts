import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { N8nClient } from './client';
import type { N8nInstallation } from './install';
import { freePort } from './ports';
import { errorWithLog, startServer, type ProcessGroup } from './process';

export interface StartN8nOptions {
	installation: N8nInstallation;
	userFolder: string;
	/** The main process (default), a queue worker or a webhook processor. */
	command?: 'start' | 'worker' | 'webhook';
	/** Default: any free one. */
	port?: number;
	/** Settings in addition to those of an isolated n8n. */
	env?: Record<string, string>;
}

/** A running n8n, with a client that is signed in as its owner if it is a main process. */
export interface N8nServer {
	/** On 127.0.0.1, without a trailing slash. */
	readonly url: string;
	readonly client: N8nClient;
	readonly logFile: string;
	readonly userFolder: string;
	/** The ID of the current process, which `restart` replaces. */
	pid(): number;
	hasExited(): boolean;
	/** Shuts n8n down. If it is still running after `STOP_TIMEOUT_MS`, kills it and throws. Keeps its user folder. */
	stop(): Promise<void>;
	/** Kills n8n and its task runner, as a crash would. Keeps its user folder. */
	kill(): Promise<void>;
	/** Stops n8n if it is running, and starts it with the same user folder and port. `env` adds settings permanently. */
	restart(env?: Record<string, string>): Promise<void>;
	/** Kills n8n, even if it is restarting. */
	dispose(): Promise<void>;
}

/** Longer than the 30 s that n8n allows itself for a graceful shutdown. */
const STOP_TIMEOUT_MS = 40_000;

/**
 * Starts an n8n that shares no folder, encryption key or port with another one, unless `env` says so.
 *
 * @throws if it doesn't become ready, with the end of its log
 */
export async function startN8n({
	installation,
	userFolder,
	command = 'start',
	port: givenPort,
	env: moreSettings,
}: StartN8nOptions): Promise<N8nServer> {
	await mkdir(userFolder, { recursive: true });
	const port = givenPort ?? (await freePort());
	const url = `http://127.0.0.1:${port}`;
	const logFile = join(userFolder, 'n8n.log');
	const client = new N8nClient(url);
	let env: Record<string, string> = {
		...inheritedEnvironment(installation),
		...isolated(installation, userFolder, port),
		// n8n processes on one machine can't share the port of the task runner broker.
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		...moreSettings,
	};

	const start = async (): Promise<ProcessGroup> => {
		const { node, n8n, folder: cwd } = installation;
		const options = { env, cwd, logFile };
		return await startServer(`n8n ${command}`, [node, n8n, command], options, async () => {
			const signal = AbortSignal.timeout(5_000);
			const { status } = await fetch(`${url}/healthz/readiness`, { signal });
			if (status === 200 && command === 'start') await client.signIn();
			return status === 200;
		});
	};

	let current = await start();
	const stop = async () => {
		if (!(await current.stop(STOP_TIMEOUT_MS))) return;
		const cause = `it was still running ${STOP_TIMEOUT_MS / 1000} s after SIGTERM`;
		throw await errorWithLog(`n8n ${command} did not stop`, cause, logFile);
	};
	const restart = async (moreEnv: Record<string, string>): Promise<void> => {
		if (!current.hasExited()) await stop();
		env = { ...env, ...moreEnv };
		current = await start();
	};
	let restarting: Promise<unknown> = Promise.resolve();
	return {
		url,
		client,
		logFile,
		userFolder,
		pid: () => current.pid,
		hasExited: () => current.hasExited(),
		stop,
		kill: () => current.kill(),
		restart: async (moreEnv = {}) => {
			const restarted = restart(moreEnv);
			restarting = restarted.catch(() => undefined);
			await restarted;
		},
		dispose: async () => {
			// A test that runs out of time leaves its restart under way, and with it an n8n that nobody would stop.
			await restarting;
			await current.kill();
		},
	};
}

/** Inherits only some variables, because N8N_… and DB_… variables of the user would change n8n's settings. */
function inheritedEnvironment({ node }: N8nInstallation): Record<string, string> {
	// With a compile cache, n8n starts in three quarters of the time, and it starts often in the end-to-end tests.
	const names = ['HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'NODE_COMPILE_CACHE'];
	const inherited = names.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	// n8n starts its task runner with the first `node` on the PATH.
	const path = [dirname(node), process.env.PATH ?? ''].join(delimiter);
	return { ...Object.fromEntries(inherited), PATH: path };
}

/** The settings of an isolated n8n: loopback only, without telemetry and prompts to the user. */
const isolated = ({ name }: N8nInstallation, userFolder: string, port: number) => ({
	N8N_USER_FOLDER: userFolder,
	N8N_PORT: String(port),
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}/`,
	WEBHOOK_URL: `http://127.0.0.1:${port}/`,
	// Browsers don't send secure cookies over HTTP.
	N8N_SECURE_COOKIE: 'false',
	N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LOG_LEVEL: 'info',
	// n8n 1 compiles isolated-vm in an install script, and scripts are disabled.
	...(name === 'n8n-1' && { N8N_EXPRESSION_ENGINE: 'legacy' }),
});
