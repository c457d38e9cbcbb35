import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The peak memory (RSS) of a process since `resetHighWaterMark`. Unlike a sampling timer, it misses nothing. Linux only.
 *
 * @returns bytes, or undefined on other systems
 */
export function highWaterMark(pid: number): number | undefined {
	try {
		const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
		return line?.[1] === undefined ? undefined : Number(line[1]) * 1024;
	} catch {
		return undefined;
	}
}

export function resetHighWaterMark(pid: number): void {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		// Not Linux.
	}
}
