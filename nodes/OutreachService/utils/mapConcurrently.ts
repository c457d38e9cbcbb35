import { settle } from './settle';
import { Slots } from './slots';

/**
 * How many requests are under way at a time: enough to use the service's full pace over a slow network. The rate
 * limiter decides when each may start.
 */
export const CONCURRENCY = 5;

/**
 * Runs a task for each item, several at a time, and keeps the results in the order of the items.
 * After the first failure no further task is begun; those under way are waited for.
 * @throws the failure of the item that comes first
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
	const slots = new Slots(CONCURRENCY);
	let hasFailed = false;
	const outcomes = await Promise.all(
		items.map(
			async (item, index) =>
				await slots.run(async () => {
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
