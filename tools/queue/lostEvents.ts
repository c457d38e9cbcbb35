/** An execution that n8n lost with a worker, and the activities that it had; none if n8n kept no data. */
export interface LostRun {
	activities: readonly string[];
}

/**
 * Attributes events that did not run to executions that n8n lost with a worker.
 *
 * @param eventsPerRun how many events an execution had, at most: of a lost one without data, not even their number is
 *   known
 * @returns how many of the events lost executions explain, and how many nothing explains
 */
export function attribute(
	missing: ReadonlySet<string>,
	lostRuns: readonly LostRun[],
	eventsPerRun: number,
): { lost: number; unexplained: number } {
	const named = new Set(lostRuns.flatMap(({ activities }) => activities));
	const unnamed = [...missing].filter((id) => !named.has(id)).length;
	const withoutData = lostRuns.filter(({ activities }) => activities.length === 0).length;
	const unexplained = Math.max(0, unnamed - withoutData * eventsPerRun);
	return { lost: missing.size - unexplained, unexplained };
}
