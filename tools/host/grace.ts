/**
 * How long a trigger waits after a deactivation before it removes its webhooks, in milliseconds. Whatever waits for a removal
 * derives its time from this. A test compares it with the trigger's own `GRACE_MS`.
 */
export const REMOVAL_GRACE_MS = 2_000;
