import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Binds all threads of a process with util-linux's `taskset`; new threads inherit the affinity. */
const bind = (pid: number, processors: readonly number[]) =>
	run('taskset', ['-acp', processors.join(','), String(pid)]);

/** The processors that this process may use, parsed from `pid 1's current affinity list: 0-2,5`. */
async function ownProcessors(): Promise<number[]> {
	const { stdout } = await run('taskset', ['-cp', String(process.pid)]);
	const list = stdout.slice(stdout.lastIndexOf(':') + 1).trim();
	return list.split(',').flatMap((range) => {
		const [from = NaN, to = from] = range.split('-').map(Number);
		return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
	});
}

/**
 * Gives a process its own processor, and this process and its children the others. Otherwise the sender would compete
 * with the measured process, and a process that uses several threads would be measured with more processors than
 * another.
 *
 * @returns a function that lets this process use all processors again, or undefined if there is only one processor or
 *   no `taskset`
 */
export async function separateProcessors(pid: number): Promise<(() => Promise<void>) | undefined> {
	const all = await ownProcessors().catch(() => []);
	const [first, ...others] = all;
	if (first === undefined || others.length === 0) return undefined;
	const restore = async () => {
		await bind(process.pid, all);
	};
	try {
		await bind(process.pid, others);
		await bind(pid, [first]);
		return restore;
	} catch {
		// No permission to bind the other process: undo the change to this one.
		await restore().catch(() => undefined);
		return undefined;
	}
}
