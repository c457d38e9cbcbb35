import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { applyAfterWork } from '../faults/applyFaults';
import type { ApiParts } from './apiApp';
import { rateLimitHeaders } from './rateLimitHeaders';

/** Puts the headers of §8.2 on answers, and has faults change answers on their way out. */
export function addAnswerHooks(
	app: FastifyInstance,
	{ switches }: Pick<ApiParts, 'switches'>,
): void {
	const addHeaders = ({ call }: FastifyRequest, reply: FastifyReply) => {
		let skewMs = 0;
		for (const fault of call.overlays) {
			call.logged.faults.push(fault.kind);
			if (fault.kind === 'clock') skewMs += fault.skewMs;
		}
		const epochMs = Date.now() + skewMs;
		if (skewMs !== 0) reply.header('date', new Date(epochMs).toUTCString());
		if (call.verdict) reply.headers(rateLimitHeaders(call.verdict, switches(), epochMs));
		for (const fault of call.overlays) {
			if (fault.kind === 'headers') reply.headers(fault.headers);
		}
	};

	// With a callback, because a cut answer is one where the callback is never called.
	app.addHook('onSend', (request, reply, payload, done) => {
		const { call } = request;
		addHeaders(request, reply);
		let body: string | undefined = typeof payload === 'string' ? payload : '';
		for (const fault of call.afterWork) body = applyAfterWork(fault, reply, body ?? '');
		if (body === undefined) return;
		call.logged.status = reply.statusCode;
		done(null, call.afterWork.length > 0 ? body : payload);
	});
}
