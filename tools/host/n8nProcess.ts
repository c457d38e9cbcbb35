import { delimiter, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { N8nInstallation } from './install';
import { logTail } from './logTail';
import { spawnGroup, type ExitStatus } from './processGroup';
import { waitFor } from './waitFor';

/** n8n's own commands: the editor and API, a queue worker, a webhook receiver. */
export type N8nCommand = 'start' | 'worker' | 'webhook';

export interface N8nProcessOptions {
	installation: N8nInstallation;
	command: N8nCommand;
	/** n8n's settings; nothing else of this process's environment but PATH, HOME and the like is handed on. */
	env: Record<string, string>;
	/** Answers 200 once the process is ready: `/healthz/readiness` on its port. */
	healthUrl: string;
	logFile: string;
	/** Milliseconds; 120,000 unless told otherwise. */
	readinessTimeoutMs?: number;
}

export interface N8nProcess {
	readonly pid: number;
	readonly exited: Promise<ExitStatus>;
	readonly hasExited: () => boolean;
	/** Asks n8n to shut down (SIGTERM) and waits for it; after 40 s ends it by force and throws. */
	stop(): Promise<void>;
	/** Ends n8n and its task runner at once (SIGKILL), as a crash would. */
	kill(): Promise<void>;
}

/** n8n gives itself 30 s to shut down. */
const STOP_TIMEOUT_MS = 40_000;

/**
 * Starts one n8n process and waits until it says it is ready.
 *
 * @throws when it ends before that or takes too long, with the end of its log
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

async function waitUntilReady(
	{ healthUrl, readinessTimeoutMs = 120_000 }: N8nProcessOptions,
	hasExited: () => boolean,
): Promise<void> {
	await waitFor(
		`${healthUrl} to answer 200`,
		async () => {
			// An exit ends the wait at once, whatever the health address says.
			if (hasExited()) return 'the process has ended';
			const { status } = await fetch(healthUrl, { signal: AbortSignal.timeout(5_000) });
			return `status ${status}`;
		},
		(seen) => seen === 'status 200' || seen === 'the process has ended',
		{ timeoutMs: readinessTimeoutMs, everyMs: 200 },
	);
	if (hasExited()) throw new Error('the process has ended');
}

/** Not the whole environment: an N8N_… or DB_… variable of the user's would make another n8n of it. */
function inheritedEnvironment({ node }: N8nInstallation): Record<string, string> {
	const names = ['HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
	const inherited = names.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	// n8n starts its task runner with whatever `node` is first on the path.
	const path = [dirname(node), process.env.PATH ?? ''].join(delimiter);
	return { ...Object.fromEntries(inherited), PATH: path };
}
