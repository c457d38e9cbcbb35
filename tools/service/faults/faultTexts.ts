import type { Fault, FaultKind } from './faultSchema';

/** What each kind of fault does, for the page, the help and the docs. */
export const FAULT_TEXTS: Readonly<Record<FaultKind, string>> = {
	status:
		'answers with a status and a body, before the work (default) or after it; headers may be added',
	delay: 'waits delayMs before the work',
	cut: 'cuts the connection, before the work (default) or after it',
	half: 'does the work, sends half the answer and cuts the connection',
	drip: 'does the work, and sends the answer byte by byte, one every everyMs',
	html: 'answers with an HTML page (status 200 unless told otherwise), without doing the work',
	brokenJson: 'does the work, and answers with JSON that stops half-way',
	hugeList: 'answers with a list of count hooks (10,000 unless told otherwise)',
	clock: 'has the clock in Date and X-RateLimit-Reset wrong by skewMs',
	headers: 'adds or replaces headers of the answer',
};

/** One of each kind, to start from. */
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
	{ kind: 'hugeList', count: 10_000, match: { method: 'GET', path: '/hooks' } },
	{ kind: 'clock', skewMs: -3_600_000, times: 10 },
	{ kind: 'headers', headers: { 'retry-after': 'soon' }, times: 1 },
];
