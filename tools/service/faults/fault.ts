import { z } from 'zod';

const milliseconds = z.number().int().min(0).max(600_000);
const status = z.number().int().min(200).max(599);
const headers = z.record(z.string(), z.string());

/** Which requests a fault applies to, and to how many of them. */
const target = {
	match: z
		.strictObject({
			/** Case-insensitive. */
			method: z.string().optional(),
			/** Relative to the base URL, such as `/hooks`; a trailing `*` matches anything. */
			path: z.string().optional(),
		})
		.optional(),
	/** Applies to the next N matching requests. Default: 1, or no limit with a `share`. */
	times: z.number().int().min(1).optional(),
	/** Applies to a share (0 to 1) of the matching requests, spread evenly. */
	share: z.number().min(0).max(1).optional(),
	/** How many matching requests to skip first. */
	skip: z.number().int().min(0).optional(),
};

/** Whether the fault applies before or after the request is processed. */
const when = z.enum(['before', 'after']).optional();

/** A fault to inject. `FAULT_TEXTS` describes each kind. */
export const faultSchema = z.discriminatedUnion('kind', [
	z.strictObject({
		...target,
		kind: z.literal('status'),
		status,
		/** `{apiKey}` becomes the key of the request, as in a service that echoes it. */
		body: z.string().optional(),
		/** The length of the body, which is repeated up to it. It is generated as it is sent. */
		bytes: z.number().int().min(1).optional(),
		/** Compresses the body; `bytes` is its length before that. */
		gzip: z.boolean().optional(),
		contentType: z.string().optional(),
		headers: headers.optional(),
		when,
	}),
	z.strictObject({ ...target, kind: z.literal('delay'), delayMs: milliseconds }),
	z.strictObject({ ...target, kind: z.literal('cut'), when }),
	z.strictObject({ ...target, kind: z.literal('half') }),
	z.strictObject({ ...target, kind: z.literal('drip'), everyMs: milliseconds }),
	z.strictObject({ ...target, kind: z.literal('html'), status: status.optional() }),
	z.strictObject({ ...target, kind: z.literal('brokenJson') }),
	z.strictObject({ ...target, kind: z.literal('clock'), skewMs: z.number().int() }),
	z.strictObject({ ...target, kind: z.literal('headers'), headers }),
]);

/** A fault, with the requests it applies to. */
export type Fault = z.infer<typeof faultSchema>;
export type FaultKind = Fault['kind'];

/** The kinds that only change headers. They apply to error responses too, and together with other faults. */
export const HEADER_FAULT_KINDS: ReadonlySet<FaultKind> = new Set(['clock', 'headers']);

/** What each kind of fault does, for the control page and the docs. */
export const FAULT_TEXTS: Readonly<Record<FaultKind, string>> = {
	status:
		'responds with a status, body and headers, before (default) or after processing the request; {apiKey} in the body is the key of the request, bytes repeats the body up to a length, gzip compresses it',
	delay: 'waits delayMs before processing the request',
	cut: 'cuts the connection, before (default) or after processing the request',
	half: 'processes the request, sends half of the response and cuts the connection',
	drip: 'processes the request and sends the response one byte at a time, every everyMs',
	html: 'responds with an HTML page (default status 200) without processing the request',
	brokenJson: 'processes the request and responds with truncated JSON',
	clock: 'skews the clock in Date and X-RateLimit-Reset by skewMs',
	headers: 'adds or replaces response headers',
};

/** An example of each kind. */
export const FAULT_EXAMPLES: readonly Fault[] = [
	{
		kind: 'status',
		status: 503,
		body: 'Service Unavailable',
		times: 3,
		match: { path: '/hooks*' },
	},
	{ kind: 'delay', delayMs: 2000, times: 1 },
	{ kind: 'cut', when: 'after', times: 1, match: { method: 'POST', path: '/hooks' } },
	{ kind: 'half', times: 1 },
	{ kind: 'drip', everyMs: 1000, times: 1 },
	{ kind: 'html', status: 200, share: 0.5 },
	{ kind: 'brokenJson', times: 1 },
	{ kind: 'clock', skewMs: -3_600_000, times: 10 },
	{ kind: 'headers', headers: { 'retry-after': 'soon' }, times: 1 },
];
