import { settle } from './settle';

/**
 * How many requests are under way at a time: enough to use the service's full pace over a slow network. The rate
 * limiter decides when each may start.
 */
export const CONCURRENCY = 5;

/**
 * Runs a task for each item, several at a time, and keeps the results in the order of the items.
 * After the first failure no further task is begun; those under way are waited for.
 * @param limit how many tasks run at a time
 * @throws the failure of the item that comes first
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	task: (item: T, index: number) => Promise<R>,
	limit = CONCURRENCY,
): Promise<R[]> {
	const results = new Map<number, R>();
	const failures = new Map<number, Error>();
	const queue = items.entries();
	const worker = async (): Promise<void> => {
		for (const [index, item] of queue) {
			const result = await settle(task(item, index));
			if (result.ok) results.set(index, result.value);
			else failures.set(index, result.error);
			if (failures.size > 0) return;
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
	const [first] = [...failures].sort(([a], [b]) => a - b);
	if (first) throw first[1];
	return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
