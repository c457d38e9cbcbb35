/** How many minutes a create without a response stays open. Tests derive from this how long they wait. */
export const OPEN_MINUTES = 10;
