import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const lockfileSchema = z.object({
	packages: z.record(
		z.object({
			os: z.union([z.string(), z.array(z.string())]).optional(),
			cpu: z.union([z.string(), z.array(z.string())]).optional(),
			libc: z.union([z.string(), z.array(z.string())]).optional(),
		}),
	),
});

/** Receives a line of progress. */
export type Report = (line: string) => void;

/**
 * Reports the elapsed time and the current status every `everyMs` milliseconds.
 *
 * @param began milliseconds since the epoch
 * @returns a function that stops the reports
 */
export function reportElapsed(
	report: Report,
	status: () => string,
	began = Date.now(),
	everyMs = 5_000,
): () => void {
	const timer = setInterval(() => {
		report(`${elapsed(began)}  ${status()}`);
	}, everyMs);
	return () => {
		clearInterval(timer);
	};
}

/** Formats the time since `began` (milliseconds since the epoch) as minutes and seconds. */
export function elapsed(began: number): string {
	const seconds = Math.round((Date.now() - began) / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Counts the unpacked packages of a lockfile. npm itself reports nothing until it is done. */
export async function packageCounter(folder: string): Promise<() => string> {
	const lockfile = lockfileSchema.parse(
		JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')),
	);
	// Ignores platform-specific packages, because npm skips those of other platforms.
	const paths = Object.entries(lockfile.packages)
		.filter(([path, { os, cpu, libc }]) => path !== '' && !os && !cpu && !libc)
		.map(([path]) => join(folder, path, 'package.json'));
	return () => {
		const count = paths.filter((path) => existsSync(path)).length;
		return count === 0 ? 'npm is preparing' : `${count} of ${paths.length} packages`;
	};
}
