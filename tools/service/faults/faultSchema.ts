import { z } from 'zod';

const milliseconds = z.number().int().min(0).max(600_000);
const status = z.number().int().min(200).max(599);
const headers = z.record(z.string(), z.string());

/** Which requests a fault is for, and how many of them. */
const aim = {
	match: z
		.strictObject({
			/** Any case. */
			method: z.string().optional(),
			/** Relative to the base URL, such as `/hooks`; a `*` at the end stands for anything. */
			path: z.string().optional(),
		})
		.optional(),
	/** The next N matching requests. Without `times` and `share`: one. */
	times: z.number().int().min(1).optional(),
	/** A share (0 to 1) of the matching requests, spread evenly. */
	share: z.number().min(0).max(1).optional(),
	/** Matching requests to let pass first. */
	skip: z.number().int().min(0).optional(),
};

/** Whether the request's work is done although the answer goes wrong. */
const when = z.enum(['before', 'after']).optional();

/** A fault on request. What each kind does is written in `FAULT_TEXTS`. */
export const faultSchema = z.discriminatedUnion('kind', [
	z.strictObject({
		...aim,
		kind: z.literal('status'),
		status,
		body: z.string().optional(),
		contentType: z.string().optional(),
		headers: headers.optional(),
		when,
	}),
	z.strictObject({ ...aim, kind: z.literal('delay'), delayMs: milliseconds }),
	z.strictObject({ ...aim, kind: z.literal('cut'), when }),
	z.strictObject({ ...aim, kind: z.literal('half') }),
	z.strictObject({ ...aim, kind: z.literal('drip'), everyMs: milliseconds }),
	z.strictObject({ ...aim, kind: z.literal('html'), status: status.optional() }),
	z.strictObject({ ...aim, kind: z.literal('brokenJson') }),
	z.strictObject({
		...aim,
		kind: z.literal('hugeList'),
		count: z.number().int().min(1).max(1_000_000).optional(),
	}),
	z.strictObject({ ...aim, kind: z.literal('clock'), skewMs: z.number().int() }),
	z.strictObject({ ...aim, kind: z.literal('headers'), headers }),
]);

/** What to do wrong, and with which requests. */
export type Fault = z.infer<typeof faultSchema>;
export type FaultKind = Fault['kind'];

/** The kinds that change an answer and leave the rest alone: they also act on refusals, and together with other faults. */
export const OVERLAY_KINDS: ReadonlySet<FaultKind> = new Set(['clock', 'headers']);
