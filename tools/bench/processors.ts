import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Binds all threads of a process with util-linux's `taskset`; new threads inherit the affinity. */
const bind = (pid: number, processors: string) =>
	run('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)]);

/**
 * Gives n8n the first processor, and this process, which sends, the others. Otherwise the sender would take time from n8n,
 * and a workflow that uses several threads would be measured with more processors than another.
 *
 * @returns whether that was possible: there are several processors, `taskset` and the permission to use them
 */
export async function separateProcessors(pid: number): Promise<boolean> {
	const last = availableParallelism() - 1;
	if (last === 0) return false;
	try {
		await bind(process.pid, `1-${last}`);
		await bind(pid, '0');
		return true;
	} catch {
		await bind(process.pid, `0-${last}`).catch(() => undefined);
		return false;
	}
}
