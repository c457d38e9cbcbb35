/** The limits of a batch that is added and left as it is. */
export const DEFAULT_BATCH = { maxEvents: 100, maxSeconds: 2 };
export const MAX_BATCH_EVENTS = 1_000;
export const MIN_BATCH_SECONDS = 0.1;
/** Shorter than a copy waits for the outcome of an earlier one, and than most senders wait for a response. */
export const MAX_BATCH_SECONDS = 8;
