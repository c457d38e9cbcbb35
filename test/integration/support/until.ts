/** Waits until a condition is met. @param withinMs fails the test after this time, in milliseconds */
export async function until(condition: () => boolean, withinMs = Infinity): Promise<void> {
	const since = performance.now();
	while (!condition()) {
		if (performance.now() - since > withinMs) throw new Error(`Not met within ${withinMs} ms`);
		await new Promise(setImmediate);
	}
}
