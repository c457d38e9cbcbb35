import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isNativeError } from 'node:util/types';

export interface ExitStatus {
	code: number | null;
	signal: NodeJS.Signals | null;
}

/** A program and everything it starts, which can be ended together. */
export interface ProcessGroup {
	readonly pid: number;
	/** Settles when the program itself has ended; never rejects. */
	readonly exited: Promise<ExitStatus>;
	readonly hasExited: () => boolean;
	/** Signals the program alone. */
	signal(signal: NodeJS.Signals): void;
	/** Ends the program and all it started, at once (SIGKILL). */
	killAll(): void;
}

/**
 * Starts a program in a process group of its own, its output appended to `logFile`.
 * The group dies with this process, however this process ends.
 *
 * @throws when the program cannot be started
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
	if (pid === undefined) throw new Error(`${command} started without a process id`);
	const stopGuarding = guard(pid);
	const exited = once(child, 'exit').then((): ExitStatus => {
		// What the program left running (n8n's task runner after a SIGKILL) must not outlive it.
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
 * A shell that waits for our end of a pipe to close, which the system does even when we are killed,
 * and then ends the group. Exit handlers would not run on SIGKILL, nor inside jest.
 */
function guard(pid: number): () => void {
	const shell = spawn('sh', ['-c', `read line; kill -KILL -${pid}`], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	shell.unref();
	// A child's pipes are sockets, which keep this process alive unless told otherwise.
	if (shell.stdin instanceof Socket) shell.stdin.unref();
	return () => {
		shell.kill('SIGKILL');
	};
}

function killGroup(pid: number): void {
	try {
		process.kill(-pid, 'SIGKILL');
	} catch (error) {
		// Not `instanceof Error`: inside jest, Node's own errors are of another world.
		const isGone = isNativeError(error) && 'code' in error && error.code === 'ESRCH';
		if (!isGone) throw error;
	}
}
