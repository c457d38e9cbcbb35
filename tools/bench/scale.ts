/** How much is measured. Everything that a quick run shortens is here. */
export interface Scale {
	quick: boolean;
	/** Of each comparison that needs no n8n. */
	rounds: number;
	/** Of each comparison in a running n8n. */
	n8nRounds: number;
	/** How long deliveries are sent in a round. */
	deliveryMs: number;
	/** How long forged calls are sent in a round. */
	forgedMs: number;
	/** Webhooks to delete in one execution. */
	deletions: number;
	/** Rounds of the deletions, which are bound to the limit's pace and vary little. */
	deletionRounds: number;
	/** Webhooks to delete in each of three executions at once. */
	deletionsOfThree: number;
	listSizes: number[];
	/** Of the lists whose memory is measured, each round in a process of its own. */
	memorySizes: number[];
	memoryRounds: number;
	/** How long the local service is measured in a round. */
	serviceSeconds: number;
	serviceDeliveries: number;
}

export const FULL: Scale = {
	quick: false,
	rounds: 7,
	n8nRounds: 8,
	deliveryMs: 4_000,
	forgedMs: 2_000,
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
	deletions: 60,
	deletionRounds: 1,
	deletionsOfThree: 30,
	listSizes: [100, 1_000, 10_000, 100_000],
	memorySizes: [10_000, 100_000],
	memoryRounds: 1,
	serviceSeconds: 1,
	serviceDeliveries: 3_000,
};
