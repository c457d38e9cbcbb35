import { z } from 'zod';

/** What the sender is asked to do. */
export const jobSchema = z.object({
	url: z.string(),
	/** Left out of the activity when there is none. */
	secret: z.string().optional(),
	/** How long new activities are sent, in milliseconds. */
	forMs: z.number(),
	/** Deliveries under way at a time. */
	concurrency: z.number(),
	/** The activities' IDs are this and a number. */
	prefix: z.string(),
	/** How often a delivery that was not accepted is sent again. */
	redeliveries: z.number(),
});

export type Job = z.infer<typeof jobSchema>;

/** What came of it. */
export const sentSchema = z.object({
	/** Different activities. */
	activities: z.number(),
	/** Activities that were answered with a 2xx in the end. */
	accepted: z.number(),
	/** How often each status or error came. */
	outcomes: z.record(z.number()),
	/** Milliseconds since 1970. */
	beganAt: z.number(),
	endedAt: z.number(),
});

export type Sent = z.infer<typeof sentSchema>;
