/**
 * How long a slow service takes to respond, in milliseconds: longer than users, checks and starts wait. A test compares it with
 * the nodes' own policies.
 */
export const SLOW_MS = 15_000;
