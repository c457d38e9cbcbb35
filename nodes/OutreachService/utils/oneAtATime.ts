const last = new Map<string, Promise<unknown>>();

/** Runs what has the same key one after the other, in the order of the calls, whether they succeed or fail. */
export async function oneAtATime<T>(key: string, run: () => Promise<T>): Promise<T> {
	const before = last.get(key) ?? Promise.resolve();
	const result = before.then(run, run);
	const settled = result.then(
		() => undefined,
		() => undefined,
	);
	last.set(key, settled);
	void settled.then(() => {
		if (last.get(key) === settled) last.delete(key);
	});
	return await result;
}
