import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';

export interface WorkerOptions {
	/** The Node to run it on; this process's unless told otherwise. */
	execPath?: string;
	/** Node's options, on top of what TypeScript needs. */
	execArgv?: string[];
	env?: Record<string, string>;
}

/** A process of ours that does jobs, one at a time: a message with a job goes in, a message with its result comes out. */
export class Worker<Job extends object, Result> {
	private readonly child: ChildProcess;

	/** @param file a script that answers each message with one, and ends when it is disconnected. */
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

	/** @throws when the process ends instead of answering, or answers with something else than a result. */
	async run(job: Job): Promise<Result> {
		const over = new AbortController();
		const { signal } = over;
		const answer = once(this.child, 'message', { signal }).then(([message]: unknown[]) =>
			this.result.parse(message),
		);
		const death = once(this.child, 'exit', { signal }).then(([code]: unknown[]) => {
			throw new Error(`The process ended with exit code ${String(code)} instead of an answer`);
		});
		// Whichever loses is cut off below, and nobody listens to it any more.
		answer.catch(() => undefined);
		death.catch(() => undefined);
		try {
			this.child.send(job);
			return await Promise.race([answer, death]);
		} finally {
			over.abort();
		}
	}

	async end(): Promise<void> {
		if (!this.child.connected) return;
		const exited = once(this.child, 'exit');
		this.child.disconnect();
		await exited;
	}
}
