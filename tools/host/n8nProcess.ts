import { delimiter, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { N8nInstallation } from './install';
import { logTail } from './logTail';
import { spawnGroup, type ExitStatus } from './processGroup';
import { waitFor } from './waitFor';

/** n8n's commands: the main process, a queue worker, a webhook processor. */
export type N8nCommand = 'start' | 'worker' | 'webhook';

export interface N8nProcessOptions {
	installation: N8nInstallation;
	command: N8nCommand;
	/** n8n's settings. Of this process's environment, only PATH, HOME and the like are passed on (`inheritedEnvironment`). */
	env: Record<string, string>;
	/** Responds with 200 once the process is ready: `/healthz/readiness` on its port. */
	healthUrl: string;
	logFile: string;
	/** Default: `READINESS_TIMEOUT_MS`. */
	readinessTimeoutMs?: number;
}

export interface N8nProcess {
	readonly pid: number;
	readonly exited: Promise<ExitStatus>;
	readonly hasExited: () => boolean;
	/** Shuts n8n down (SIGTERM). If it is still running after `STOP_TIMEOUT_MS`, kills it and throws. */
	stop(): Promise<void>;
	/** Kills n8n and its task runner (SIGKILL), as a crash would. */
	kill(): Promise<void>;
}

/** Longer than the 30 s that n8n allows itself for a graceful shutdown. */
const STOP_TIMEOUT_MS = 40_000;
const READINESS_TIMEOUT_MS = 120_000;

/**
 * Starts an n8n process and waits until it reports that it is ready.
 *
 * @throws if it exits or times out before that, with the end of its log
 */
export async function startN8nProcess(options: N8nProcessOptions): Promise<N8nProcess> {
	const { installation, command, env, logFile } = options;
	const group = await spawnGroup(installation.node, [installation.n8n, command], {
		env: { ...inheritedEnvironment(installation), ...env },
		cwd: installation.folder,
		logFile,
	});

	const kill = async () => {
		group.killAll();
		await group.exited;
	};
	try {
		await waitUntilReady(options, group.hasExited);
	} catch (error) {
		await kill();
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`n8n ${command} did not start: ${reason}\n${await logTail(logFile)}`, {
			cause: error,
		});
	}

	return {
		pid: group.pid,
		exited: group.exited,
		hasExited: group.hasExited,
		kill,
		stop: async () => {
			group.signal('SIGTERM');
			const timer = new AbortController();
			const isLate = await Promise.race([
				group.exited.then(() => false),
				pause(STOP_TIMEOUT_MS, true, { signal: timer.signal }).catch(() => false),
			]);
			timer.abort();
			if (!isLate) return;
			await kill();
			throw new Error(
				`n8n ${command} was still running ${STOP_TIMEOUT_MS / 1000} s after SIGTERM.\n${await logTail(logFile)}`,
			);
		},
	};
}

const EXITED = 'the process has exited';

async function waitUntilReady(
	{ healthUrl, readinessTimeoutMs = READINESS_TIMEOUT_MS }: N8nProcessOptions,
	hasExited: () => boolean,
): Promise<void> {
	await waitFor(
		`${healthUrl} to respond with 200`,
		async () => {
			// Stop waiting once the process has exited: another process may respond on its port.
			if (hasExited()) return EXITED;
			const { status } = await fetch(healthUrl, { signal: AbortSignal.timeout(5_000) });
			return `status ${status}`;
		},
		(state) => state === 'status 200' || state === EXITED,
		{ timeoutMs: readinessTimeoutMs, everyMs: 200 },
	);
	if (hasExited()) throw new Error(EXITED);
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
