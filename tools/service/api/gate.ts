import type { FastifyInstance } from 'fastify';
import { applyBeforeWork } from '../faults/applyFaults';
import type { ApiParts } from './apiApp';
import { apiKeyFrom } from './authenticate';
import { Problem } from './problem';

/**
 * What every request under the base address goes through, in this order: the key (§5), the limit of the key (§8), faults.
 * So a request without a valid key counts against nobody, and one that is refused uses up no fault.
 */
export function addGate(
	api: FastifyInstance,
	{ keys, faults, switches }: Pick<ApiParts, 'keys' | 'faults' | 'switches'>,
): void {
	api.addHook('onRequest', async (request, reply) => {
		const { call } = request;
		call.overlays = faults.takeOverlays(call.logged);

		const presented = apiKeyFrom(request.headers.authorization);
		const key = presented === undefined ? undefined : keys.find(presented);
		// §7: no body, and nothing that tells an unknown key from a malformed header.
		if (!key) return reply.code(401).send();
		call.team = key.team;
		call.logged.apiKeyIndex = key.index;

		const rules = switches();
		key.arrivals.note(call.logged.at, rules.rateLimitWindowMs);
		if (rules.rateLimit !== 'off') {
			call.verdict = key.limiter.take(call.logged.at, {
				requests: rules.rateLimitRequests,
				windowMs: rules.rateLimitWindowMs,
				kind: rules.rateLimit,
				refusedCount: rules.refusedCount,
			});
			if (!call.verdict.allowed) {
				key.arrivals.refused += 1;
				throw new Problem(rules.overLimitStatus, 'Too many requests');
			}
		}

		call.afterWork = faults.takeForWork(call.logged);
		for (const fault of call.afterWork) {
			call.logged.faults.push(fault.kind);
			if (await applyBeforeWork(fault, reply)) {
				call.afterWork = [];
				return reply;
			}
		}
		return undefined;
	});
}
