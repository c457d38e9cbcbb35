import type { Attempt } from './outcome';

/** Shorter delays are not worth a word, in milliseconds. */
const NOTICEABLE_MS = 1_000;

const TIMES = ['', 'once', 'twice'];

/** How long the requests of a client have waited because the service was busy or failed. */
export class Delays {
	private totalMs = 0;

	private until = 0;

	private readonly causes = new Map<string, number>();

	/** Notes that a request is sent again. Requests that wait at the same time count once. @param afterMs from now on */
	add(attempt: Attempt, afterMs: number): void {
		const now = performance.now();
		const end = now + afterMs;
		this.totalMs += Math.max(0, end - Math.max(now, this.until));
		this.until = Math.max(this.until, end);
		const cause =
			attempt.kind === 'response'
				? `the service responded with ${attempt.status}`
				: `there was no response (${attempt.code})`;
		this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1);
	}

	/** 'Waited 3.6 s: the service responded with 503 twice'; undefined for less than a second. */
	describe(): string | undefined {
		if (this.totalMs < NOTICEABLE_MS) return undefined;
		const causes = [...this.causes].map(
			([cause, count]) => `${cause} ${TIMES[count] ?? `${count} times`}`,
		);
		return `Waited ${(this.totalMs / 1000).toFixed(1)} s: ${causes.join(', ')}`;
	}
}
