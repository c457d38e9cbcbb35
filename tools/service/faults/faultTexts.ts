import type { Fault, FaultKind } from './faultSchema';

/** What each kind of fault does, for the control page and the docs. */
export const FAULT_TEXTS: Readonly<Record<FaultKind, string>> = {
	status:
		'responds with a status, body and headers, before (default) or after processing the request; {apiKey} and {authorization} in the body are the ones of the request, bytes repeats the body up to a length, gzip compresses it',
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
