/** The rate limit (§8.1): the maximum number of requests … */
export const REQUESTS_PER_WINDOW = 20;
/** … in so many milliseconds, counted for each API key. */
export const WINDOW_MS = 2000;

/** How long one request may take, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;
