/** What can be wrong with the next requests of a history, and with which of them. */
import fc from 'fast-check';
import type { Fault } from '../service';

/** The service, or what is in front of it, responds with a status, before or after it has carried out the request. */
export const failed = (status: number, when: 'before' | 'after' = 'before'): Fault => ({
	kind: 'status',
	status,
	when,
});

/** The service has too much to do. */
export const BUSY: Fault = { kind: 'status', status: 429, headers: { 'retry-after': '1' } };

/** The connection ends before or after the request is carried out. */
export const CUT: Fault = { kind: 'cut' };
export const CUT_AFTERWARDS: Fault = { kind: 'cut', when: 'after' };

/** A response that ends too early. */
export const BROKEN_JSON: Fault = {
	kind: 'status',
	status: 200,
	body: '{"_id":"hoo_1","targ',
	contentType: 'application/json',
	when: 'after',
};

const page = (status: number, title: string) => ({
	kind: 'status' as const,
	status,
	contentType: 'text/html',
	body: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
});
const json = (status: number, body: string) => ({
	kind: 'status' as const,
	status,
	contentType: 'application/json',
	body,
});

/** What something between the client and the service responds, without passing the request on. */
export const GATEWAYS = {
	ingress: { kind: 'status' as const, status: 404, body: 'default backend - 404' },
	maintenance: page(200, 'Down for maintenance'),
	firewall: page(403, 'Access denied'),
	plan: json(403, '{"error":"IP address not allowed"}'),
	login: { ...page(302, 'Found'), headers: { location: 'https://login.example.com/' } },
	timeout: page(504, 'Gateway time-out'),
	echo: json(200, '{request}'),
};

/** The service can be reached again only after some requests. */
export const outage = (max: number): fc.Arbitrary<Fault> =>
	fc.integer({ min: 1, max }).map((times) => ({ ...CUT, times }));

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
	wrong: readonly Fault[],
	{ methods, maxSkip = 0, times = fc.constant(1) }: Target,
): fc.Arbitrary<Fault> =>
	fc
		.record({
			wrong: fc.constantFrom(...wrong),
			method: fc.constantFrom(...methods),
			skip: fc.nat({ max: maxSkip }),
			times,
		})
		.map(({ wrong: one, method, ...rest }) => ({ ...one, match: { method }, ...rest }));

/** The node sends a request again after these, as after a 5xx (D4, D72, D112). */
const RETRIED_BELOW_500 = [408, 429];

/** After a refusal, n8n and the node may give up: then the user must try again. Anything else is an outage. */
export function isRefusal(fault: Fault): boolean {
	if (fault.kind !== 'status') return false;
	const isOfGateway = Object.values(GATEWAYS).some(({ body }) => body === fault.body);
	return !isOfGateway && fault.status < 500 && !RETRIED_BELOW_500.includes(fault.status);
}
