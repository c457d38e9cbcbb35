import { print } from './print';

/** What must be ended when the program is over, last begun first. */
export class CleanUp {
	private readonly tasks: Array<{ what: string; run: () => Promise<unknown> }> = [];

	add(what: string, run: () => Promise<unknown>): void {
		this.tasks.push({ what, run });
	}

	/** Runs every task, also after one has failed; says which did. */
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
 * Settles at the first Ctrl-C (or SIGTERM, or when the terminal closes). Further ones are ignored:
 * npm and tsx each pass on what the terminal has already sent, so a second one means nothing.
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
