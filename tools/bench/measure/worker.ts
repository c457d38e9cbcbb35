import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';

export interface WorkerOptions {
	/** The Node.js executable (default: this process's). */
	execPath?: string;
	/** Node.js options, in addition to those for TypeScript. */
	execArgv?: string[];
	env?: Record<string, string>;
}

/** A child process that runs one job at a time: receives a job as a message, and sends its result as a message. */
export class Worker<Job extends object, Result> {
	private readonly child: ChildProcess;

	/** @param file a script that responds to each message with one message, and exits when disconnected */
	constructor(
		file: string,
		private readonly result: z.ZodType<Result, z.ZodTypeDef, unknown>,
		{ execPath = process.execPath, execArgv = [], env = {} }: WorkerOptions = {},
	) {
		this.child = fork(file, {
			execPath,
			execArgv: ['--import', 'tsx', ...execArgv],
			env: { ...process.env, ...env },
			serialization: 'advanced',
		});
	}

	/** @throws if the process exits, or if its message is not a valid result */
	async run(job: Job): Promise<Result> {
		const listeners = new AbortController();
		const { signal } = listeners;
		const result = once(this.child, 'message', { signal }).then(([message]: unknown[]) =>
			this.result.parse(message),
		);
		const exit = once(this.child, 'exit', { signal }).then(([code]: unknown[]) => {
			throw new Error(`The process exited with code ${String(code)} before it sent a result`);
		});
		// Aborting the listeners below rejects the promise that lost the race.
		result.catch(() => undefined);
		exit.catch(() => undefined);
		try {
			this.child.send(job);
			return await Promise.race([result, exit]);
		} finally {
			listeners.abort();
		}
	}

	async end(): Promise<void> {
		if (!this.child.connected) return;
		const exited = once(this.child, 'exit');
		this.child.disconnect();
		await exited;
	}
}
