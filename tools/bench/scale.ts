/** How much to measure: everything that differs between a full and a quick run. */
export interface Scale {
	quick: boolean;
	/** Rounds of each comparison without n8n. */
	rounds: number;
	/** Rounds of each comparison in a running n8n. */
	n8nRounds: number;
	/** How long each round sends deliveries. */
	deliveryMs: number;
	/** How long each round sends forged calls. */
	forgedMs: number;
	/** Rounds of the bursts to our trigger, batched and unbatched. */
	batchRounds: number;
	/** How long each burst lasts. */
	batchMs: number;
	/** Rounds of the memory measurement; each starts n8n twice. */
	memoryRestarts: number;
	/** How many batches in a row the response times cover. */
	responseBatches: number;
	/** Webhooks to delete in one execution. */
	deletions: number;
	/** Rounds of the deletions. The rate limit determines their speed, so they vary little. */
	deletionRounds: number;
	/** Webhooks to delete in each of three concurrent executions. */
	deletionsOfThree: number;
	listSizes: number[];
	/** Sizes of the lists in memory measurements; each round runs in a new process. */
	memorySizes: number[];
	memoryRounds: number;
	/** How long each round measures the local service. */
	serviceSeconds: number;
	serviceDeliveries: number;
}

export const FULL: Scale = {
	quick: false,
	rounds: 7,
	n8nRounds: 8,
	deliveryMs: 4_000,
	forgedMs: 2_000,
	batchRounds: 4,
	batchMs: 8_000,
	memoryRestarts: 3,
	responseBatches: 6,
	deletions: 200,
	deletionRounds: 2,
	deletionsOfThree: 200,
	listSizes: [100, 1_000, 10_000, 100_000],
	memorySizes: [100, 1_000, 10_000, 100_000],
	memoryRounds: 5,
	serviceSeconds: 3,
	serviceDeliveries: 10_000,
};

export const QUICK: Scale = {
	quick: true,
	rounds: 3,
	n8nRounds: 2,
	deliveryMs: 2_000,
	forgedMs: 1_000,
	batchRounds: 1,
	batchMs: 4_000,
	memoryRestarts: 1,
	responseBatches: 2,
	deletions: 60,
	deletionRounds: 1,
	deletionsOfThree: 30,
	listSizes: [100, 1_000, 10_000, 100_000],
	memorySizes: [10_000, 100_000],
	memoryRounds: 1,
	serviceSeconds: 1,
	serviceDeliveries: 3_000,
};

/** A single short round of everything: whether it works, not how fast it is. */
export const SHORT: Scale = {
	...QUICK,
	rounds: 1,
	n8nRounds: 1,
	deliveryMs: 1_000,
	forgedMs: 500,
	batchMs: 1_000,
	responseBatches: 1,
	deletions: 25,
	deletionsOfThree: 10,
	listSizes: [100, 10_000, 100_000],
	serviceDeliveries: 1_000,
};
