import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, on every machine that Node runs on. */
const TICK_MS = 10;

/**
 * The processor time that a process has used so far, all its threads together. Unlike the time on the clock, it hardly
 * depends on what else the machine does.
 * @returns milliseconds; undefined where the system does not tell it in `/proc`
 */
export function processorTimeMs(pid: number): number | undefined {
	try {
		// The name, in parentheses, may hold spaces. After it come the state as field 3, user and system time as 14 and 15.
		const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/);
		const [user, system] = fields.split(' ').slice(11, 13).map(Number);
		return ((user ?? NaN) + (system ?? NaN)) * TICK_MS;
	} catch {
		return undefined;
	}
}
