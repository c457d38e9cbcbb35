import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';

export interface ExitStatus {
	code: number | null;
	signal: NodeJS.Signals | null;
}

/** A process and its descendants, which can be killed together. */
export interface ProcessGroup {
	readonly pid: number;
	/** Resolves once the process itself has exited. Never rejects. */
	readonly exited: Promise<ExitStatus>;
	readonly hasExited: () => boolean;
	/** Sends a signal to the process itself, not to its descendants. */
	signal(signal: NodeJS.Signals): void;
	/** Kills the process and its descendants (SIGKILL). */
	killAll(): void;
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
	{ env, cwd, logFile }: { env: NodeJS.ProcessEnv; cwd: string; logFile: string },
): Promise<ProcessGroup> {
	const log = openSync(logFile, 'a');
	const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', log, log] });
	closeSync(log);
	await once(child, 'spawn');

	const { pid } = child;
	if (pid === undefined) throw new Error(`${command} started without a process ID`);
	const stopGuarding = guard(pid);
	const exited = once(child, 'exit').then((): ExitStatus => {
		// Descendants must not outlive the process, such as n8n's task runner after a SIGKILL.
		killGroup(pid);
		stopGuarding();
		return { code: child.exitCode, signal: child.signalCode };
	});

	return {
		pid,
		exited,
		hasExited: () => child.exitCode !== null || child.signalCode !== null,
		signal: (signal) => {
			child.kill(signal);
		},
		killAll: () => {
			killGroup(pid);
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
