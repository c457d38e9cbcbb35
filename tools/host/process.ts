import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';
import { waitFor } from './waitFor';

/** A process and its descendants, which can be killed together. */
export interface ProcessGroup {
	readonly pid: number;
	/** Resolves once the process itself has exited, with its code, or with the signal that ended it. Never rejects. */
	readonly exited: Promise<number | NodeJS.Signals | null>;
	readonly hasExited: () => boolean;
	/** Kills the process and its descendants (SIGKILL), as a crash would. */
	kill(): Promise<void>;
	/**
	 * Shuts the process down (SIGTERM), and kills it if it is still running after this time.
	 *
	 * @returns whether that was necessary
	 */
	stop(timeoutMs: number): Promise<boolean>;
}

interface ProcessOptions {
	env: NodeJS.ProcessEnv;
	cwd: string;
	logFile: string;
}

/** On a busy machine, the migrations of a new database alone take two minutes. */
const START_TIMEOUT_MS = 240_000;

/**
 * Starts a server in a process group of its own (see `spawnGroup`), and waits until it is ready.
 *
 * @param isReady is asked again and again; a rejection means no
 * @throws if the process ends before, or takes too long, with the end of its log
 */
export async function startServer(
	name: string,
	[command, ...args]: [string, ...string[]],
	options: ProcessOptions,
	isReady: () => Promise<boolean>,
): Promise<ProcessGroup> {
	const group = await spawnGroup(command, args, options);
	try {
		await waitFor(
			'it to be ready',
			// Once the process has exited, another one may respond on its port.
			async () => group.hasExited() || (await isReady()),
			Boolean,
			{ timeoutMs: START_TIMEOUT_MS, everyMs: 200 },
		);
		if (group.hasExited()) throw new Error('its process has exited');
		return group;
	} catch (error) {
		await group.kill();
		throw await errorWithLog(`${name} did not start`, error, options.logFile);
	}
}

/**
 * Starts a command in a process group of its own and appends its output to `logFile`. The group is killed when this
 * process ends, however it ends.
 *
 * @throws if the command can't be started
 */
export async function spawnGroup(
	command: string,
	args: string[],
	{ env, cwd, logFile }: ProcessOptions,
): Promise<ProcessGroup> {
	const log = openSync(logFile, 'a');
	const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', log, log] });
	closeSync(log);
	await once(child, 'spawn');

	const { pid } = child;
	if (pid === undefined) throw new Error(`${command} started without a process ID`);
	const stopGuarding = guard(pid);
	const exited = once(child, 'exit').then(() => {
		// Descendants must not outlive the process, such as n8n's task runner after a SIGKILL.
		killGroup(pid);
		stopGuarding();
		return child.exitCode ?? child.signalCode;
	});
	const kill = async () => {
		killGroup(pid);
		await exited;
	};
	return {
		pid,
		exited,
		hasExited: () => child.exitCode !== null || child.signalCode !== null,
		kill,
		stop: async (timeoutMs) => {
			let isLate = false;
			const timer = setTimeout(() => {
				isLate = true;
				killGroup(pid);
			}, timeoutMs);
			child.kill('SIGTERM');
			await exited;
			clearTimeout(timer);
			return isLate;
		},
	};
}

/**
 * Starts a shell that kills the group once our end of a pipe closes, which happens even if this process is killed. Exit
 * handlers run neither on SIGKILL nor inside jest.
 *
 * @returns a function that stops the shell
 */
function guard(pid: number): () => void {
	const shell = spawn('sh', ['-c', `read line; kill -KILL -${pid}`], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	shell.unref();
	// The pipe is a socket, which would keep this process alive.
	if (shell.stdin instanceof Socket) shell.stdin.unref();
	return () => {
		shell.kill('SIGKILL');
	};
}

function killGroup(pid: number): void {
	try {
		process.kill(-pid, 'SIGKILL');
	} catch (error) {
		// Not `instanceof Error`: inside jest, Node.js errors belong to another realm.
		const isGone = isNativeError(error) && 'code' in error && error.code === 'ESRCH';
		if (!isGone) throw error;
	}
}

/** An error with what went wrong, and the path and the last lines of a log. */
export async function errorWithLog(what: string, cause: unknown, logFile: string): Promise<Error> {
	const text = await readFile(logFile, 'utf8').catch(
		(error: unknown) => `(unreadable: ${String(error)})`,
	);
	const tail = text.trimEnd().split('\n').slice(-25);
	const reason = cause instanceof Error ? cause.message : String(cause);
	const lines = [`${what}: ${reason}`, `Log: ${logFile}`, ...tail.map((line) => `  | ${line}`)];
	return new Error(lines.join('\n'), { cause });
}

/** @returns a function that reads what n8n has logged since this call */
export async function logFromNow({
	server,
}: {
	server: { logFile: string };
}): Promise<() => Promise<string>> {
	const { length } = await readFile(server.logFile, 'utf8');
	return async () => (await readFile(server.logFile, 'utf8')).slice(length);
}
