import { sleep } from 'n8n-workflow';

/** How often the responses of disconnected senders are checked, in milliseconds. */
export const CHECK_MS = 100;

/** The parts of Node's response that tell what the sender was told. */
export type SenderResponse = {
	readonly statusCode: number;
	readonly writableEnded: boolean;
	readonly destroyed: boolean;
	once(event: 'finish' | 'close', listener: () => void): unknown;
};

export const isGone = ({ destroyed, writableEnded }: SenderResponse): boolean =>
	destroyed || writableEnded;

/** Waits for the status of one response. It holds no reference to it: that would keep it from being collected. */
class Watch {
	private isOver = false;

	constructor(private readonly listener: (status: number | undefined) => void) {}

	end(status: number | undefined): void {
		// A response that finished also closes.
		if (this.isOver) return;
		this.isOver = true;
		this.listener(status);
	}
}

/** Tells what n8n responded to a delivery, also when its sender has disconnected in the meantime. */
export class ResponseOutcomes {
	/**
	 * Responses whose sender has disconnected: Node emits nothing when n8n ends such a response, so it is checked. The
	 * response is held weakly: n8n never ends that of a queued execution that a user cancels, and drops it. Once it is
	 * collected, it has no status.
	 */
	private readonly disconnected = new Map<Watch, WeakRef<SenderResponse>>();

	private isChecking = false;

	/**
	 * Calls a listener once, when n8n has ended the response or never will.
	 * @param listener gets the status; undefined when there will be none. It must not refer to the response.
	 */
	watch(response: SenderResponse, listener: (status: number | undefined) => void): void {
		const watch = new Watch(listener);
		response.once('finish', () => watch.end(response.statusCode));
		response.once('close', () => {
			if (response.writableEnded) watch.end(response.statusCode);
			else this.disconnected.set(watch, new WeakRef(response));
			void this.check();
		});
	}

	/** One timer for the whole process, running only while there is something to check. */
	private async check(): Promise<void> {
		if (this.isChecking) return;
		this.isChecking = true;
		while (this.disconnected.size > 0) {
			await sleep(CHECK_MS);
			this.checkOnce();
		}
		this.isChecking = false;
	}

	/** Not in the loop above: an async function that waits would keep the last response alive. */
	private checkOnce(): void {
		for (const [watch, reference] of this.disconnected) {
			const response = reference.deref();
			if (response && !response.writableEnded) continue;
			this.disconnected.delete(watch);
			watch.end(response?.statusCode);
		}
	}
}
