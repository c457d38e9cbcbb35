/** Lets so many tasks run at a time; the others wait in the order of the calls. */
export class Slots {
	private readonly waiting: Array<() => void> = [];

	constructor(private free: number) {}

	async run<T>(task: () => Promise<T>): Promise<T> {
		if (this.free > 0) this.free -= 1;
		else await new Promise<void>((begin) => this.waiting.push(begin));
		try {
			return await task();
		} finally {
			const next = this.waiting.shift();
			// A slot is handed over rather than freed, so that no later call takes it first.
			if (next) next();
			else this.free += 1;
		}
	}
}
