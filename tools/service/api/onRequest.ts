import type { FastifyInstance } from 'fastify';
import { applyBeforeProcessing } from '../faults/applyFaults';
import type { ApiParts } from './apiParts';
import { apiKeyFrom } from './authenticate';
import { Problem } from './problem';

/**
 * Checks the API key (§5), then the key's rate limit (§8), then applies faults to every request below the base path.
 * In this order, a request without a valid key counts against no limit, and a rejected one uses up only a fault of kind `clock` or `headers`, which its response has.
 */
export function addOnRequest(
	api: FastifyInstance,
	{ keys, faults, switches }: Pick<ApiParts, 'keys' | 'faults' | 'switches'>,
): void {
	api.addHook('onRequest', async (request, reply) => {
		const { call } = request;
		call.headerFaults = faults.takeHeaderFaults(call.logged);

		const presented = apiKeyFrom(request.headers.authorization);
		const key = presented === undefined ? undefined : keys.find(presented);
		// No body (§7), and the same response for an unknown key and a malformed header.
		if (!key) return reply.code(401).send();
		call.team = key.team;
		call.logged.apiKeyIndex = key.index;

		const rules = switches();
		key.counter.count(call.logged.at, rules.rateLimitWindowMs);
		if (rules.rateLimit !== 'off') {
			call.rateLimit = key.limiter.take(call.logged.at, {
				requests: rules.rateLimitRequests,
				windowMs: rules.rateLimitWindowMs,
				kind: rules.rateLimit,
			});
			if (!call.rateLimit.allowed) {
				key.counter.refused += 1;
				call.logged.overLimit = true;
				throw new Problem(429, 'Too many requests');
			}
		}

		const taken = faults.takeRequestFaults(call.logged);
		for (const fault of taken) {
			call.logged.faults.push(fault.kind);
			if (await applyBeforeProcessing(fault, reply)) return reply;
		}
		call.responseFaults = taken;
		return undefined;
	});
}
