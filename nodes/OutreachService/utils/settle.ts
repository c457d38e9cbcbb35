/** The outcome of a promise as a value, for code that has something to do before it fails. */
export type Outcome<T, E extends Error = Error> = { ok: true; value: T } | { ok: false; error: E };

/** Waits for a promise without throwing. */
export async function settle<T>(promise: Promise<T>): Promise<Outcome<T>> {
	return await promise.then(
		(value): Outcome<T> => ({ ok: true, value }),
		(error: unknown): Outcome<T> => ({
			ok: false,
			error: error instanceof Error ? error : new Error(String(error)),
		}),
	);
}

/** The outcome of a function as a value. */
export function settleSync<T>(run: () => T): Outcome<T> {
	try {
		return { ok: true, value: run() };
	} catch (error) {
		return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
	}
}
