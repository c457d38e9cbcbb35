/** What programs on the command line share: output, options, Ctrl-C and cleaning up. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';

/** Prints a line to standard output. */
export function print(line = ''): void {
	process.stdout.write(`${line}\n`);
}

const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** Prints what holds and what does not. @returns whether all of it holds */
export function printChecks(checks: ReadonlyArray<{ what: string; holds: boolean }>): boolean {
	for (const { what, holds } of checks) print(`${holds ? '✓' : '✗'} ${what}`);
	return checks.every(({ holds }) => holds);
}

/** Runs one step of a program: prints its name before, and its result and duration after. */
export async function step<Result>(
	name: string,
	run: () => Promise<Result>,
	describe: (result: Result) => string = () => 'done',
): Promise<Result> {
	const began = Date.now();
	print(`▸ ${name}`);
	try {
		const result = await run();
		print(`  ✓ ${describe(result)} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
		return result;
	} catch (error) {
		print(`  ✗ failed`);
		// What went wrong, then at which step; details follow from the next line on.
		const [first = '', ...details] = messageOf(error).split('\n');
		const message = [`${first} (${name})`, ...details].join('\n');
		throw new Error(message, { cause: error });
	}
}

/** Reads the value of an option that is a number from `min` on; with a text, a run would do nothing and report success. */
export const numberFrom =
	(min: number, kind: 'whole' | 'any' = 'whole') =>
	(text: string): number => {
		const value = Number(text);
		const isRead = text.trim() !== '' && (kind === 'any' || Number.isInteger(value));
		if (isRead && value >= min && value < Number.POSITIVE_INFINITY) return value;
		throw new InvalidArgumentError(
			`Must be a ${kind === 'whole' ? 'whole number' : 'number'} of at least ${min}.`,
		);
	};

export interface Program {
	/** A temporary folder of the program's own. What is in it stays after a failure. */
	folder: string;
	/** Runs afterwards, however the program ends, the last first. `what` completes the sentence 'Could not …'. */
	atEnd: (what: string, run: () => Promise<unknown>) => void;
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
	const folder = await mkdtemp(join(tmpdir(), `outreach-${name}-`));
	const tasks: Array<{ what: string; end: () => Promise<unknown> }> = [];
	let isReady = false;
	let code = 0;
	const interruption = interrupted().then(() => {
		print(isReady ? '\nStopping.' : '\nInterrupted.');
		if (!isReady) code = 130;
	});
	try {
		const running = run({
			folder,
			atEnd: (what, end) => tasks.unshift({ what, end }),
			untilStopped: () => {
				isReady = true;
				return interruption;
			},
		});
		if ((await Promise.race([running, interruption])) === false) code = 1;
	} catch (error) {
		print(`\n✗ ${messageOf(error)}`);
		code = 1;
	}
	for (const { what, end } of tasks) {
		await end().catch((error: unknown) => print(`Could not ${what}: ${messageOf(error)}`));
	}
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
