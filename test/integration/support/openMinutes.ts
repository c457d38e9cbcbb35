/**
 * How many minutes a create without a response stays open. Tests derive from this how long they wait. A test compares it with
 * the nodes' own `LONGEST_OPEN_MS`.
 */
export const OPEN_MINUTES = 10;
