import { readFileSync } from 'node:fs';

/** The unit of CPU time in `/proc`: Linux uses hundredths of a second on every platform that Node.js supports. */
const TICK_MS = 10;

/**
 * The CPU time that all threads of a process have used. Unlike elapsed time, it hardly depends on the load of the
 * machine.
 *
 * @returns milliseconds, or undefined if the system has no `/proc`
 */
export function cpuTimeMs(pid: number): number | undefined {
	try {
		// Field 2, the name in parentheses, may contain spaces. The user and system times are fields 14 and 15.
		const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/);
		const [user, system] = fields.split(' ').slice(11, 13).map(Number);
		return ((user ?? NaN) + (system ?? NaN)) * TICK_MS;
	} catch {
		return undefined;
	}
}
