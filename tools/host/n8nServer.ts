import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { N8nClient } from './client';
import { installN8n, type N8nInstallation } from './install';
import { n8nEnvironment } from './n8nEnvironment';
import { startN8nProcess, type N8nProcess } from './n8nProcess';
import { installIntoUserFolder } from './packageTarball';
import { freePort } from './ports';
import { waitFor } from './waitFor';

export interface StartN8nOptions {
	/** Default: the pinned n8n 2, installed if necessary. */
	installation?: N8nInstallation;
	/** Tarball of a node package to install in it. */
	tarball?: string;
	/** Used if it is free, or else one of the next free ports. Default: any free port. */
	preferredPort?: number;
	/** Default: a new temporary folder. */
	userFolder?: string;
	/** Settings in addition to those of `n8nEnvironment`. */
	env?: Record<string, string>;
}

/** A running n8n, with a client that is signed in as its owner. */
export interface N8nServer {
	/** On 127.0.0.1, without a trailing slash. */
	readonly url: string;
	readonly client: N8nClient;
	readonly logFile: string;
	readonly userFolder: string;
	/** The current process, which `restart` replaces. */
	process(): N8nProcess;
	/** Shuts n8n down. Keeps its user folder. */
	stop(): Promise<void>;
	/** Kills n8n, as a crash would. Keeps its user folder. */
	kill(): Promise<void>;
	/** Stops n8n if it is running, and starts it with the same user folder and port. `env` adds settings permanently. */
	restart(env?: Record<string, string>): Promise<void>;
	/** Kills n8n and removes its user folder, including the log. */
	dispose(): Promise<void>;
}

/**
 * Starts an n8n that shares no folder, encryption key or port with another one.
 *
 * @throws if it doesn't become ready, with the end of its log
 */
export async function startN8n(options: StartN8nOptions = {}): Promise<N8nServer> {
	const installation = options.installation ?? (await installN8n());
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'outreach-n8n-')));
	await mkdir(userFolder, { recursive: true });
	if (options.tarball !== undefined) await installIntoUserFolder(options.tarball, userFolder);

	const port = await freePort(options.preferredPort);
	const url = `http://127.0.0.1:${port}`;
	const logFile = join(userFolder, 'n8n.log');
	const client = new N8nClient(url);
	const base = {
		userFolder,
		port,
		brokerPort: await freePort(),
		encryptionKey: randomBytes(24).toString('hex'),
	};
	let env = { ...n8nEnvironment(installation.name, base), ...options.env };

	const start = async (): Promise<N8nProcess> => {
		const healthUrl = `${url}/healthz/readiness`;
		const started = await startN8nProcess({
			installation,
			command: 'start',
			env,
			healthUrl,
			logFile,
		});
		try {
			await signIn(client);
		} catch (error) {
			await started.kill();
			throw error;
		}
		return started;
	};

	let current = await start();
	const stop = () => current.stop();
	const kill = () => current.kill();
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
		process: () => current,
		stop,
		kill,
		restart: async (moreEnv = {}) => {
			const restarted = restart(moreEnv);
			restarting = restarted.catch(() => undefined);
			await restarted;
		},
		dispose: async () => {
			// A test that runs out of time leaves its restart under way, and with it an n8n that nobody would stop.
			await restarting;
			await kill();
			await rm(userFolder, { recursive: true, force: true });
		},
	};
}

async function signIn(client: N8nClient): Promise<void> {
	const { isOwnerSetUp } = await waitFor(
		`n8n's REST API`,
		() => client.settings(),
		() => true,
		{ timeoutMs: 60_000 },
	);
	await (isOwnerSetUp ? client.login() : client.setUpOwner());
}
