/** A promise, and the function that resolves it. */
export type Deferred<T> = { promise: Promise<T>; resolve: (value: T) => void };

/** A promise that is resolved elsewhere. `Promise.withResolvers` is missing in the oldest Node.js that n8n 1 runs on. */
export function deferred<T>(): Deferred<T> {
	let resolve: Deferred<T>['resolve'] = () => undefined;
	const promise = new Promise<T>((settle) => {
		resolve = settle;
	});
	return { promise, resolve };
}
