import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** util-linux's command, for all threads of a process; those it starts later inherit it. */
const bind = (pid: number, processors: readonly number[]) =>
	run('taskset', ['-acp', processors.join(','), String(pid)]);

/** The processors that this process may use, from `pid 1's current affinity list: 0-2,5`. */
async function ownProcessors(): Promise<number[]> {
	const { stdout } = await run('taskset', ['-cp', String(process.pid)]);
	const list = stdout.slice(stdout.lastIndexOf(':') + 1).trim();
	return list.split(',').flatMap((range) => {
		const [from = NaN, to = from] = range.split('-').map(Number);
		return Array.from({ length: to - from + 1 }, (_, place) => from + place);
	});
}

/**
 * Gives a process a processor of its own while something is measured, and this one (and what it starts) the others.
 * Otherwise who sends takes the time of who is measured, and an n8n that does much in threads beside its main one
 * would be measured with more processors than another.
 * @returns what makes this process use all of them again; undefined where none of this is possible: with one
 *   processor, or without `taskset`
 */
export async function setApart(pid: number): Promise<(() => Promise<void>) | undefined> {
	const all = await ownProcessors().catch(() => []);
	const [first, ...others] = all;
	if (first === undefined || others.length === 0) return undefined;
	const share = async () => {
		await bind(process.pid, all);
	};
	try {
		await bind(process.pid, others);
		await bind(pid, [first]);
		return share;
	} catch {
		// Whoever may not bind the other process is as it was before.
		await share().catch(() => undefined);
		return undefined;
	}
}
