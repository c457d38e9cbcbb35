/** What can be wrong with the next requests of a history, and with which of them. */
import fc from 'fast-check';
import type { Fault, Gateway } from '../service';

/** The service, or what is in front of it, refuses a request, and does so whenever it is sent again. */
export const refused = (status: number, body?: string): Fault => ({
	kind: 'status',
	status,
	...(body !== undefined && { body }),
});

/** The service fails before it has carried out a request. */
export const failed = (status: number): Fault => ({ kind: 'status', status });

/** The service carries out a request, and fails then. */
export const failedAfterwards = (status: number): Fault => ({
	kind: 'status',
	status,
	when: 'after',
});

/** The service has too much to do. */
export const BUSY: Fault = { kind: 'status', status: 429, headers: { 'retry-after': '1' } };

/** The connection ends before the request is carried out. */
export const CUT: Fault = { kind: 'cut' };

/** The connection ends after the request is carried out. */
export const CUT_AFTERWARDS: Fault = { kind: 'cut', when: 'after' };

/** The connection ends in the middle of the response. */
export const HALF: Fault = { kind: 'half' };

/** A web page responds in place of the service. */
export const HTML: Fault = { kind: 'html' };

/** The response cannot be read. */
export const BROKEN_JSON: Fault = { kind: 'brokenJson' };

/** What stands in front of the service responds in its place. */
export const gateway = (who: Gateway): Fault => ({ kind: 'gateway', who });

/** The request waits before it is carried out. */
export const delayed = (delayMs: number): Fault => ({ kind: 'delay', delayMs });

interface Target {
	/** Methods of requests; one that is named several times is chosen more often. */
	methods: readonly string[];
	/** How many matching requests to skip first, at most (default: none). */
	maxSkip?: number;
	/** How many matching requests the fault meets (default: one). */
	times?: fc.Arbitrary<number>;
}

/** These faults, of some of the next requests. */
export const anyFault = (
	wrong: fc.Arbitrary<Fault>,
	{ methods, maxSkip = 0, times = fc.constant(1) }: Target,
): fc.Arbitrary<Fault> =>
	fc
		.record({
			wrong,
			method: fc.constantFrom(...methods),
			skip: fc.nat({ max: maxSkip }),
			times,
		})
		.map(({ wrong: one, method, skip, times: count }) => ({
			...one,
			match: { method },
			skip,
			times: count,
		}));

/** How something that goes wrong shows. */
export type Trouble = 'delay' | 'outage' | 'refusal' | 'incomplete list' | 'lost data';

/** The node sends a request again after these, as after a 5xx (D4, D72, D112). */
const RETRIED_BELOW_500 = [408, 429];

/** How each kind of fault shows, but for a status. */
const TROUBLES: Record<Exclude<Fault['kind'], 'status'>, Trouble> = {
	delay: 'delay',
	cut: 'outage',
	half: 'outage',
	drip: 'outage',
	gateway: 'outage',
	// These two change only headers. A wrong time, or a wrong rate limit, can make the node wait as in an outage.
	clock: 'outage',
	headers: 'outage',
	html: 'refusal',
	brokenJson: 'refusal',
};

/** Whether a request can fail for the client because of a kind of fault, also after the service has carried it out. */
export const canFail = (kind: Fault['kind']): boolean =>
	kind === 'status' || TROUBLES[kind] !== 'delay';

/** After a refusal, n8n and the node may give up: then the user must try again. */
export function troubleOf(fault: Fault): Trouble {
	if (fault.kind !== 'status') return TROUBLES[fault.kind];
	const isRetried = fault.status >= 500 || RETRIED_BELOW_500.includes(fault.status);
	return isRetried ? 'outage' : 'refusal';
}
