import { Ring } from '../support';

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

/** The newest requests. */
export class RequestLog {
	private lastId = 0;
	private readonly ring: Ring<LoggedRequest>;

	/** @param capacity how many requests to keep, so that a long run doesn't fill the memory */
	constructor(capacity: number) {
		this.ring = new Ring(capacity);
	}

	/** Logs a request that has just arrived. */
	begin(request: Pick<LoggedRequest, 'method' | 'path' | 'outside' | 'query'>): LoggedRequest {
		this.lastId += 1;
		const logged: LoggedRequest = {
			id: this.lastId,
			at: performance.now(),
			receivedAt: new Date().toISOString(),
			...request,
			body: undefined,
			status: undefined,
			ms: undefined,
			apiKeyIndex: undefined,
			faults: [],
		};
		this.ring.push(logged);
		return logged;
	}

	/** At most `count` requests, oldest first; without `count`, all that are kept. */
	newest(count?: number): LoggedRequest[] {
		return this.ring.newest(count);
	}

	/** Forgets the requests, but not their count, so that an ID is never used twice. */
	clear(): void {
		this.ring.clear();
	}
}

/** Deeper values are left out: JSON can be nested so deeply that walking it exhausts the stack. */
const MAX_DEPTH = 20;

/** A copy in which the value of each field `secret` is `(set)`, at any depth and whatever its type. */
export function redactSecrets(value: unknown, depth = 0): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth === MAX_DEPTH) return '(nested too deeply)';
	if (Array.isArray(value)) return value.map((entry) => redactSecrets(entry, depth + 1));
	return redactFields(value, depth);
}

/** The same for an object. */
export const redactFields = (fields: object, depth = 0): Record<string, unknown> =>
	Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [
			name,
			name.toLowerCase() === 'secret' ? '(set)' : redactSecrets(value, depth + 1),
		]),
	);
