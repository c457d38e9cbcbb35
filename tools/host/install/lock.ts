import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 1_000;

/** Longer than two processes can take to remove the file of the same ended process one after the other. */
const SETTLE_MS = 300;

/**
 * Waits until no other living process holds the lock: a file with the ID of the process that does.
 *
 * @param onWait called if another process holds it; what it returns is called when that is over
 * @returns a function that releases the lock
 */
export async function acquireLock(
	file: string,
	onWait: () => () => void,
): Promise<() => Promise<void>> {
	const own = String(process.pid);
	let stopWaiting: (() => void) | undefined;
	while (!(await isTaken(file, own))) {
		stopWaiting ??= onWait();
		await pause(RETRY_MS);
	}
	stopWaiting?.();
	return () => rm(file, { force: true });
}

async function isTaken(file: string, own: string): Promise<boolean> {
	const holder = await readFile(file, 'utf8').catch(() => undefined);
	if (holder !== undefined && isAlive(Number(holder))) return false;
	if (holder !== undefined) await rm(file, { force: true });
	try {
		await writeFile(file, own, { flag: 'wx' });
	} catch (error) {
		// Another process has created the file in the meantime.
		if (codeOf(error) === 'EEXIST') return false;
		throw error;
	}
	await pause(SETTLE_MS);
	return (await readFile(file, 'utf8').catch(() => undefined)) === own;
}

function isAlive(pid: number): boolean {
	try {
		// Signal 0 only asks whether the process exists.
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// The process of another user may not be asked, but exists.
		return codeOf(error) === 'EPERM';
	}
}

const codeOf = (error: unknown): unknown =>
	typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
