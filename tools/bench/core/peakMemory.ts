import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';

const SAMPLE_MS = 2;
const MB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = z
	.custom<(how: { type: 'major'; flavor: 'last-resort' }) => void>((gc) => typeof gc === 'function')
	.parse(runInNewContext('gc'));

/**
 * Linux can say what the most memory was since a moment, also within work that lets no timer through.
 * @returns bytes, or 0 where the system cannot say
 */
function highWaterMark(): number {
	try {
		const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
		return Number(line?.[1] ?? 0) * 1024;
	} catch {
		return 0;
	}
}

function resetHighWaterMark(): void {
	try {
		writeFileSync('/proc/self/clear_refs', '5');
	} catch {
		// Another system: the samples alone have to do.
	}
}

/**
 * Runs something after a garbage collection, and watches the memory of this process meanwhile.
 * @returns its result, and the most memory above that at the start, in MB
 */
export async function withPeakMemory<T>(
	run: () => Promise<T>,
): Promise<{ result: T; peakMb: number }> {
	// Gives back what is free, too: otherwise an execution could fill that without being noticed.
	collectGarbage({ type: 'major', flavor: 'last-resort' });
	collectGarbage({ type: 'major', flavor: 'last-resort' });
	resetHighWaterMark();
	const before = process.memoryUsage.rss();
	let peak = before;
	const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
	try {
		const result = await run();
		peak = Math.max(peak, process.memoryUsage.rss(), highWaterMark());
		return { result, peakMb: (peak - before) / MB };
	} finally {
		clearInterval(sampler);
	}
}
