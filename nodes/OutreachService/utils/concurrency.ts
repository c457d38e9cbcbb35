/** Several tasks at a time, but not all at once. */
import { settle } from './settle';

/**
 * How many requests are under way at a time: enough to use the service's full pace over a slow network. The rate
 * limiter decides when each may start.
 */
export const CONCURRENCY = 5;

/** Lets so many tasks run at a time. The others wait in the order of the calls. */
export class ConcurrencyLimit {
	private readonly waiting: Array<() => void> = [];

	/** @param free how many more tasks may begin now */
	constructor(private free: number) {}

	/** Runs a task as soon as it may begin. @returns its result @throws its error */
	async run<T>(task: () => Promise<T>): Promise<T> {
		if (this.free > 0) this.free -= 1;
		else await new Promise<void>((begin) => this.waiting.push(begin));
		try {
			return await task();
		} finally {
			const next = this.waiting.shift();
			// A waiting task begins in place of this one. If `free` were raised instead, a later call could come first.
			if (next) next();
			else this.free += 1;
		}
	}
}

/**
 * Runs a task for each item, several at a time, and keeps the results in the order of the items.
 * After the first failure no further task is begun; those under way are waited for.
 * @throws the failure of the item that comes first
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
	const limit = new ConcurrencyLimit(CONCURRENCY);
	let hasFailed = false;
	const outcomes = await Promise.all(
		items.map(
			async (item, index) =>
				await limit.run(async () => {
					if (hasFailed) return undefined;
					const outcome = await settle(task(item, index));
					hasFailed ||= !outcome.ok;
					return outcome;
				}),
		),
	);
	return outcomes.flatMap((outcome) => {
		if (outcome?.ok === false) throw outcome.error;
		return outcome ? [outcome.value] : [];
	});
}
