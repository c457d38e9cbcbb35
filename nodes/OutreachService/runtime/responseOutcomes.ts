/** The parts of Node's response that tell what the sender was told. */
export type SenderResponse = {
	readonly statusCode: number;
	readonly writableEnded: boolean;
	readonly destroyed: boolean;
	end: (...args: never[]) => unknown;
	once(event: 'finish' | 'close', listener: () => void): unknown;
};

/** Whether nothing can be sent any more: the sender has disconnected, or n8n has ended the response. */
export const isClosed = ({ destroyed, writableEnded }: SenderResponse): boolean =>
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

/**
 * Notices when n8n ends a response whose sender has disconnected: Node emits nothing then. Looking at the response from
 * time to time would not do: n8n drops it once it has ended it, so it may be collected before it is looked at.
 */
function watchEnd(response: SenderResponse, watch: Watch): void {
	response.end = new Proxy(response.end, {
		apply: (end, self, args) => {
			const result: unknown = Reflect.apply(end, self, args);
			watch.end(response.statusCode);
			return result;
		},
	});
}

/** Tells what n8n responded to a delivery, also when its sender has disconnected in the meantime. */
export class ResponseOutcomes {
	/**
	 * Notices that a response will never be ended: n8n drops that of a queued execution that a user cancels, and it is
	 * collected.
	 */
	private readonly dropped = new FinalizationRegistry<Watch>((watch) => watch.end(undefined));

	/**
	 * Calls a listener once, when n8n has ended the response or never will.
	 * @param listener gets the status; undefined when there will be none. It must not refer to the response.
	 */
	watch(response: SenderResponse, listener: (status: number | undefined) => void): void {
		const watch = new Watch(listener);
		response.once('finish', () => watch.end(response.statusCode));
		response.once('close', () => {
			if (response.writableEnded) {
				watch.end(response.statusCode);
				return;
			}
			watchEnd(response, watch);
			this.dropped.register(response, watch);
		});
	}
}
