import { Ring } from '../support/ring';

/** A request to the API, as received. */
export interface LoggedRequest {
	/** Counted from 1. */
	readonly id: number;
	/** Milliseconds on the monotonic clock of the service's process (`performance.now()`). */
	readonly at: number;
	/** ISO 8601, UTC. */
	readonly receivedAt: string;
	readonly method: string;
	/** Relative to the base URL, such as `/hooks`. If `outside` is set, the whole path. */
	readonly path: string;
	/** Set if the path is not below the base URL. */
	readonly outside?: true;
	/** A `secret` is redacted as `(set)`, here and in `body`. */
	readonly query: Readonly<Record<string, unknown>>;
	/** The parsed JSON, or only the length of a very long body. Undefined if it isn't JSON. */
	body: unknown;
	/** Undefined until the response is sent, and for good if the connection was cut. */
	status: number | undefined;
	/** Milliseconds until the response was sent or the connection ended. Undefined until then. */
	ms: number | undefined;
	/** Set if the connection ended before the response did: cut by a fault, or closed by the client. */
	disconnected?: true;
	/** Index of the API key, in the order in which keys were added. Undefined without a valid key. */
	apiKeyIndex: number | undefined;
	/** Set if the request was rejected because it exceeded the rate limit (§8). */
	overLimit?: true;
	/** The faults that were applied. */
	readonly faults: string[];
}

/** The newest requests, and the count of all requests. */
export class RequestLog {
	count = 0;
	private readonly ring: Ring<LoggedRequest>;

	/** @param capacity how many requests to keep, so that a long run doesn't fill the memory */
	constructor(capacity: number) {
		this.ring = new Ring(capacity);
	}

	/** The ID of the next request. */
	nextId(): number {
		return this.count + 1;
	}

	add(request: LoggedRequest): void {
		this.count += 1;
		this.ring.push(request);
	}

	/** At most `newest` requests, oldest first; without `newest`, all. */
	entries(newest?: number): LoggedRequest[] {
		return this.ring.newest(newest);
	}

	/** Forgets the requests, but not their count, so that an ID is never used twice. */
	clear(): void {
		this.ring.clear();
	}
}
