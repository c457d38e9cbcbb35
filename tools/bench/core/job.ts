import { z } from 'zod';

/** Runs a node once in n8n-core, in a workflow of its own. */
export const jobSchema = z.object({
	node: z.enum(['our node', 'HTTP Request']),
	/** The folder of the n8n installation, for its HTTP Request node. */
	n8nFolder: z.string(),
	baseUrl: z.string(),
	apiKey: z.string(),
	/** The webhooks to delete, one item for each. If undefined, the node lists all webhooks. */
	deleteIds: z.array(z.string()).optional(),
});

export type CoreJob = z.infer<typeof jobSchema>;

export const doneSchema = z.object({
	ms: z.number(),
	/** The number of output items. */
	items: z.number(),
	/** The peak increase of memory during the execution, in MB. */
	peakMb: z.number(),
	/** The error message, if the execution failed. */
	error: z.string().optional(),
});

export type CoreResult = z.infer<typeof doneSchema>;
