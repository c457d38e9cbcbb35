import type { Mutex } from '../utils/mutex';
import type { Consequence, RequestError } from './errors';
import type { Outcome } from './outcome';
import type { RateLimiters } from './rateLimiter';
import type { RecentCreates } from './recentCreates';
import type { Cancellable } from './request';
import type { RetryPolicy } from './retryPolicy';
import type { ApiRequest } from './send';

export type RequestOptions = {
	/** Without it: `always`. */
	cancellable?: Cancellable | undefined;
};

/** What all clients of a process share. */
export type ClientState = {
	readonly limiters: RateLimiters;
	readonly recentCreates: RecentCreates;
	readonly mutex: Mutex;
};

/** What the functions of the API are made of. */
export type Api = {
	/** @throws n8n's error when n8n did not send the request at all */
	request(what: ApiRequest, options?: RequestOptions): Promise<Outcome>;
	/** The error for an outcome that the caller cannot use. */
	failure(outcome: Outcome, consequence?: Consequence): Promise<RequestError>;
	readonly state: ClientState;
	readonly policy: RetryPolicy;
};
