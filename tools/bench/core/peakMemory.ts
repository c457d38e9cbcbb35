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
 * The peak memory since `resetHighWaterMark`. Unlike a sampling timer, it also covers synchronous work. Linux only.
 *
 * @returns bytes, or 0 on other systems
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
		// Not Linux: use only the samples.
	}
}

/**
 * Runs a function after a garbage collection, and measures the memory of this process meanwhile.
 *
 * @returns the result, and the peak increase of memory in MB
 */
export async function withPeakMemory<T>(
	run: () => Promise<T>,
): Promise<{ result: T; peakMb: number }> {
	// Also returns free memory to the system: otherwise the execution could use it without any visible increase.
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
