/** Runs tasks with the same key one after the other, in the order of the calls, whether they succeed or fail. */
export class Mutex {
	/** Settles when the last task of a key has ended, by key. */
	private readonly last = new Map<string, Promise<unknown>>();

	/** The number of keys for which a task runs or waits. */
	get size(): number {
		return this.last.size;
	}

	/** Whether a task with a key runs or waits. */
	isBusy(key: string): boolean {
		return this.last.has(key);
	}

	/** Runs a task after all earlier ones with its key. @returns its result @throws its error */
	async run<T>(key: string, task: () => Promise<T>): Promise<T> {
		const before = this.last.get(key) ?? Promise.resolve();
		const result = before.then(task, task);
		const settled = result.then(
			() => undefined,
			() => undefined,
		);
		this.last.set(key, settled);
		void settled.then(() => {
			if (this.last.get(key) === settled) this.last.delete(key);
		});
		return await result;
	}
}
