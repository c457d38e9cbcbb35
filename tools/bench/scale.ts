/** How much to measure: everything that differs between a full and a short run. */
export interface Scale {
	/** n8n's default, or `N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true`. */
	engine: 'default' | 'lazy';
	rounds: number;
	/** How long each round sends deliveries. */
	deliveryMs: number;
	/** Webhooks to delete in an execution. */
	deletions: number;
	/** The lengths of the lists. */
	listSizes: number[];
}

export const FULL: Omit<Scale, 'engine'> = {
	rounds: 8,
	deliveryMs: 4_000,
	deletions: 200,
	listSizes: [100, 1_000, 10_000, 100_000],
};

/** A single short round of everything: whether it works, not how fast it is. */
export const SHORT: Omit<Scale, 'engine'> = {
	rounds: 1,
	deliveryMs: 1_000,
	deletions: 25,
	listSizes: [100, 10_000],
};
