/** How long a task takes on the clock of the tests, in milliseconds. */
export async function elapsedMs(task: () => Promise<unknown>): Promise<number> {
	const from = performance.now();
	await task();
	return performance.now() - from;
}
