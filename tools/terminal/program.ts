import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanUp, interrupted } from './cleanUp';
import { print } from './print';

const FAILED = 1;
const INTERRUPTED = 130;

/** n8n's user folder, with its log, inside the folder of a program. */
export const N8N_FOLDER = 'n8n';

export interface Program {
	/** A temporary folder of the program's own. */
	folder: string;
	/** Gets what must be ended afterwards, however the program ends. */
	cleanUp: CleanUp;
	/** Settles at Ctrl-C, which from then on is the way to end the program, not an interruption. */
	untilStopped: () => Promise<void>;
}

/**
 * Runs a program that starts n8n, until it is done or Ctrl-C stops it, and ends the process.
 *
 * The exit code is 0 when it is done, 1 when it fails, and 130 when it is interrupted before that. After a failure
 * n8n's log stays.
 */
export async function runProgram(
	name: string,
	run: (program: Program) => Promise<void>,
): Promise<never> {
	const interruption = interrupted();
	const folder = await mkdtemp(join(tmpdir(), `outreach-${name}-`));
	const cleanUp = new CleanUp();
	const code = await carryOut(run, folder, cleanUp, interruption);
	await cleanUp.run();
	const isLogNeeded = code === FAILED && existsSync(join(folder, N8N_FOLDER));
	if (!isLogNeeded) await rm(folder, { recursive: true, force: true });
	// Exits instead of waiting: what an interrupted step has begun, such as a download, dies with this process.
	process.exit(code);
}

async function carryOut(
	run: (program: Program) => Promise<void>,
	folder: string,
	cleanUp: CleanUp,
	interruption: Promise<void>,
): Promise<number> {
	const state = { isReady: false };
	const untilStopped = () => {
		state.isReady = true;
		return interruption;
	};
	try {
		const isInterrupted = await Promise.race([
			run({ folder, cleanUp, untilStopped }).then(() => false),
			interruption.then(() => true),
		]);
		if (state.isReady) print('\nStopping.');
		else if (isInterrupted) print('\nInterrupted.');
		return isInterrupted && !state.isReady ? INTERRUPTED : 0;
	} catch (error) {
		print(`\n✗ ${error instanceof Error ? error.message : String(error)}`);
		return FAILED;
	}
}
