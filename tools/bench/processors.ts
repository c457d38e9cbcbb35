import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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
 * Gives n8n its own processor, and this process, which sends, the others. Otherwise the sender would take time from n8n,
 * and a workflow that uses several threads would be measured with more processors than another.
 *
 * @returns a function that undoes it; undefined if there is only one processor, no `taskset` or no permission
 */
export async function separateProcessors(pid: number): Promise<(() => Promise<void>) | undefined> {
	const all = await ownProcessors().catch(() => []);
	const [first, ...others] = all;
	if (first === undefined || others.length === 0) return undefined;
	const restore = async () => {
		await bind(process.pid, all).catch(() => undefined);
		await bind(pid, all).catch(() => undefined);
	};
	try {
		await bind(process.pid, others);
		await bind(pid, [first]);
		return restore;
	} catch {
		await restore();
		return undefined;
	}
}

/** The unit of CPU time in `/proc`: Linux uses hundredths of a second on every platform that Node.js supports. */
const TICK_MS = 10;

/**
 * The CPU time that all threads of a process have used. Unlike elapsed time, it hardly depends on the load of the machine.
 *
 * @returns milliseconds; NaN if the system has no `/proc`
 */
export async function cpuTimeMs(pid: number): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	// Field 2, the name in parentheses, may contain spaces. The user and system times are fields 14 and 15.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [user = NaN, system = NaN] = fields.slice(11, 13).map(Number);
	return (user + system) * TICK_MS;
}
