import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { highWaterMark, resetHighWaterMark } from '../measure/highWaterMark';

const SAMPLE_MS = 2;
const MB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = z
	.custom<(how: { type: 'major'; flavor: 'last-resort' }) => void>((gc) => typeof gc === 'function')
	.parse(runInNewContext('gc'));

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
	resetHighWaterMark(process.pid);
	const before = process.memoryUsage.rss();
	let peak = before;
	const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
	try {
		const result = await run();
		peak = Math.max(peak, process.memoryUsage.rss(), highWaterMark(process.pid) ?? 0);
		return { result, peakMb: (peak - before) / MB };
	} finally {
		clearInterval(sampler);
	}
}
