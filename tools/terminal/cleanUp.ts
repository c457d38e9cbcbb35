import { print } from './print';

/** Tasks to run at the end, in reverse order. */
export class CleanUp {
	private readonly tasks: Array<{ what: string; run: () => Promise<unknown> }> = [];

	add(what: string, run: () => Promise<unknown>): void {
		this.tasks.push({ what, run });
	}

	/** Runs every task, even if one fails, and prints failures. */
	async run(): Promise<void> {
		for (const { what, run } of this.tasks.splice(0).reverse()) {
			try {
				await run();
			} catch (error) {
				print(`Could not ${what}: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
	}
}

/**
 * Resolves on the first Ctrl-C, SIGTERM or SIGHUP. Ignores further signals, because npm and tsx each forward the signal
 * that the terminal has already sent.
 */
export function interrupted(): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.on(signal, () => {
				resolve();
			});
		}
	});
}
