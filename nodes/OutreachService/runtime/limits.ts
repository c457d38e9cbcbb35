/** The maximum number of activities that a process remembers, over all nodes: about 5 MB. */
export const MAX_REMEMBERED = 50_000;

/** How many activities of a node n8n's database keeps, at most; the oldest are forgotten first. */
export const MAX_RECORDED = 5_000;
