import type { Ring } from '../support/ring';

/** One request to the API, as it was received. */
export interface LoggedRequest {
	/** Milliseconds on a clock that only goes forward (`performance.now()` of the service's process). */
	readonly at: number;
	readonly method: string;
	/** Relative to the base URL, such as `/hooks`; when `outside` is set, the whole path. */
	readonly path: string;
	/** Set when the request did not go to an address under the base URL. */
	readonly outside?: true;
	/** A `secret` is replaced by `(set)` here and in `body`. */
	readonly query: Readonly<Record<string, unknown>>;
	/** Parsed when it was JSON; of a very long one only the length; else undefined. */
	body: unknown;
	/** Undefined until answered, and for ever when the connection was cut. */
	status: number | undefined;
	/** Which key it came with, in the order in which keys were added; undefined without a valid one. */
	apiKeyIndex: number | undefined;
	/** The faults that were applied to it. */
	readonly faults: string[];
}

/** Replaces a secret by a mark, whatever it is; other fields are kept. */
export function hideSecret(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || !('secret' in value)) return value;
	return { ...value, secret: '(set)' };
}

/** The newest requests; how many are kept is decided at start. */
export type RequestLog = Ring<LoggedRequest>;
