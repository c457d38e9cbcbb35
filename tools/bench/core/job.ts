import { z } from 'zod';

/** A node to run once in n8n-core, as its own workflow. */
export const jobSchema = z.object({
	node: z.enum(['our node', 'HTTP Request']),
	/** Where n8n is installed, for its HTTP Request node. */
	n8nFolder: z.string(),
	baseUrl: z.string(),
	apiKey: z.string(),
	/** One item for each webhook to delete; without it, all webhooks are listed. */
	deleteIds: z.array(z.string()).optional(),
});

export type CoreJob = z.infer<typeof jobSchema>;

export const doneSchema = z.object({
	ms: z.number(),
	/** Items that came out. */
	items: z.number(),
	/** Most memory taken during the execution, above what was taken before it, in MB. */
	peakMb: z.number(),
	/** What the execution failed with. */
	error: z.string().optional(),
});

export type CoreResult = z.infer<typeof doneSchema>;
