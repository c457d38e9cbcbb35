import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { applyAfterProcessing } from '../faults/applyFaults';
import type { ApiParts } from './apiParts';
import { rateLimitHeaders } from './rateLimitHeaders';

/** Adds the rate-limit headers (§8.2) to every response and applies the faults that change responses. */
export function addOnSend(app: FastifyInstance, { switches }: Pick<ApiParts, 'switches'>): void {
	const addHeaders = ({ call }: FastifyRequest, reply: FastifyReply) => {
		let skewMs = 0;
		for (const fault of call.headerFaults) {
			call.logged.faults.push(fault.kind);
			if (fault.kind === 'clock') skewMs += fault.skewMs;
		}
		const epochMs = Date.now() + skewMs;
		if (skewMs !== 0) reply.header('date', new Date(epochMs).toUTCString());
		if (call.rateLimit) reply.headers(rateLimitHeaders(call.rateLimit, switches(), epochMs));
		for (const fault of call.headerFaults) {
			if (fault.kind === 'headers') reply.headers(fault.headers);
		}
	};

	// With a callback rather than async: a fault that cuts the connection never calls it.
	app.addHook('onSend', (request, reply, payload, done) => {
		const { call } = request;
		addHeaders(request, reply);
		const text = typeof payload === 'string' ? payload : '';
		let body: string | Readable | undefined = text;
		for (const fault of call.responseFaults)
			body = applyAfterProcessing(fault, reply, typeof body === 'string' ? body : text);
		if (body === undefined) {
			if (reply.raw.headersSent) call.logged.status = reply.statusCode;
			return;
		}
		call.logged.status = reply.statusCode;
		done(null, call.responseFaults.length > 0 ? body : payload);
	});
}
