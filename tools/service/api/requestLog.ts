import type { Ring } from '../support/ring';

/** A request to the API, as received. */
export interface LoggedRequest {
	/** Milliseconds on the monotonic clock of the service's process (`performance.now()`). */
	readonly at: number;
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
	/** Index of the API key, in the order in which keys were added. Undefined without a valid key. */
	apiKeyIndex: number | undefined;
	/** The faults that were applied. */
	readonly faults: string[];
}

/** Redacts a top-level `secret`, whatever its type. */
export function hideSecret(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || !('secret' in value)) return value;
	return { ...value, secret: '(set)' };
}

/** The newest requests, up to a number set at start. */
export type RequestLog = Ring<LoggedRequest>;
