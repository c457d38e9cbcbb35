import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from './print';

/** n8n's user folder, with its log, inside the folder of a program. */
export const N8N_FOLDER = 'n8n';

const INTERRUPTED = Symbol('interrupted');

/** Tasks to run at the end, in reverse order. */
export class CleanUp {
	private readonly tasks: Array<{ what: string; run: () => Promise<unknown> }> = [];

	add(what: string, run: () => Promise<unknown>): void {
		this.tasks.push({ what, run });
	}

	/** Runs every task, even if one fails, and prints failures. */
	async run(): Promise<void> {
		for (const { what, run } of this.tasks.splice(0).reverse()) {
			try {
				await run();
			} catch (error) {
				print(`Could not ${what}: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
	}
}

export interface Program {
	/** A temporary folder of the program's own. What is in it stays after a failure. */
	folder: string;
	/** Gets what must be ended afterwards, however the program ends. */
	cleanUp: CleanUp;
	/** Whether the program has failed: for `cleanUp`. */
	hasFailed: () => boolean;
	/** Settles at Ctrl-C, which from then on is the way to end the program, not an interruption. */
	untilStopped: () => Promise<void>;
}

/**
 * Runs a program that starts servers, until it is done or Ctrl-C stops it, ends what it has started, and ends the
 * process. The exit code is 0 when it is done, 1 when it fails, and 130 when it is interrupted before that.
 *
 * @param run fails by throwing, or by returning false
 */
export async function runProgram(
	name: string,
	run: (program: Program) => Promise<unknown>,
): Promise<never> {
	const interruption = interrupted();
	const folder = await mkdtemp(join(tmpdir(), `outreach-${name}-`));
	const cleanUp = new CleanUp();
	const state = { isReady: false };
	let code = 0;
	const untilStopped = () => {
		state.isReady = true;
		return interruption.then(() => {
			print('\nStopping.');
		});
	};
	try {
		const result = await Promise.race([
			run({ folder, cleanUp, untilStopped, hasFailed: () => code === 1 }),
			interruption.then(() => INTERRUPTED),
		]);
		if (result === false) code = 1;
		if (result === INTERRUPTED && !state.isReady) {
			print('\nInterrupted.');
			code = 130;
		}
	} catch (error) {
		print(`\n✗ ${error instanceof Error ? error.message : String(error)}`);
		code = 1;
	}
	await cleanUp.run();
	const isNeeded = code === 1 && (await readdir(folder)).length > 0;
	if (isNeeded) print(`The logs are in ${folder}`);
	else await rm(folder, { recursive: true, force: true });
	// Exits instead of waiting: what an interrupted step has begun, such as a download, dies with this process.
	process.exit(code);
}

/**
 * Resolves on the first Ctrl-C, SIGTERM or SIGHUP. Ignores further signals, because npm and tsx each forward the signal
 * that the terminal has already sent.
 */
function interrupted(): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
			process.on(signal, () => resolve());
	});
}
