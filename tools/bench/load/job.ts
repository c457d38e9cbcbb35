import { z } from 'zod';

/** A job for the sender. */
export const jobSchema = z.object({
	url: z.string(),
	/** The secret in each activity; omitted if undefined. */
	secret: z.string().optional(),
	/** Headers of each delivery besides its content type. */
	headers: z.record(z.string()).optional(),
	/** How long to send new activities, in milliseconds. */
	forMs: z.number(),
	/** The maximum number of concurrent deliveries. */
	concurrency: z.number(),
	/** New activities per second; as fast as the responses allow if omitted. */
	perSecond: z.number().optional(),
	/** The prefix of the activities' IDs, followed by a number. */
	prefix: z.string(),
	/** The maximum number of retries of a failed delivery. */
	redeliveries: z.number(),
	/** How long to wait for a response, in milliseconds. Default: 30 seconds. */
	timeoutMs: z.number().optional(),
});

export type Job = z.infer<typeof jobSchema>;

/** The result of a job. */
export const sentSchema = z.object({
	/** The number of distinct activities. */
	activities: z.number(),
	/** The number of activities that eventually got a 2xx. */
	accepted: z.number(),
	/** The IDs of the other activities. */
	notAccepted: z.array(z.string()),
	/** The number of responses by status, and of errors by message. */
	outcomes: z.record(z.number()),
	/** How long each successful response took, in milliseconds. */
	responseTimes: z.array(z.number()),
	/** Milliseconds since 1970. */
	startedAt: z.number(),
	endedAt: z.number(),
});

export type Sent = z.infer<typeof sentSchema>;
