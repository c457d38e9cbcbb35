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
	/** The pinned n8n 2, installed when it is not, unless told otherwise. */
	installation?: N8nInstallation;
	/** Tarball of a node package to have in it. */
	tarball?: string;
	/** Any free one unless told otherwise; a wish that is taken is replaced by a free one. */
	preferredPort?: number;
	/** A new folder in the system's temporary one unless told otherwise. */
	userFolder?: string;
	/** Settings on top of those of `n8nEnvironment`. */
	env?: Record<string, string>;
}

/** A running n8n with an owner, its client signed in. */
export interface N8nServer {
	/** Without a trailing slash; 127.0.0.1. */
	readonly url: string;
	readonly client: N8nClient;
	readonly logFile: string;
	readonly userFolder: string;
	/** The process running now; another one after `restart`. */
	process(): N8nProcess;
	/** Shuts n8n down; its user folder stays. */
	stop(): Promise<void>;
	/** Ends n8n as a crash would; its user folder stays. */
	kill(): Promise<void>;
	/** Stops n8n if it still runs, and starts it on the same user folder and port, `env` added for good. */
	restart(env?: Record<string, string>): Promise<void>;
	/** Ends n8n, whatever state it is in, and removes its user folder with the log. */
	dispose(): Promise<void>;
}

/**
 * Starts an n8n of its own: folder, key and ports shared with no other.
 *
 * @throws when it does not get ready, with the end of its log
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
	return {
		url,
		client,
		logFile,
		userFolder,
		process: () => current,
		stop,
		kill,
		restart: async (moreEnv = {}) => {
			if (!current.hasExited()) await stop();
			env = { ...env, ...moreEnv };
			current = await start();
		},
		dispose: async () => {
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
