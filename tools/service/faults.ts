/** What the service can do wrong on request. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Reply } from './http';

const milliseconds = z.number().int().min(0).max(600_000);

/** Which requests a fault applies to, and to how many of them. */
const target = {
	match: z
		.strictObject({
			/** Case-insensitive. */
			method: z.string().optional(),
			/** Relative to the base URL, such as `/hooks`. */
			path: z.string().optional(),
		})
		.optional(),
	/** Applies to the next N matching requests. Default: 1. */
	times: z.number().int().min(1).optional(),
	/** How many matching requests to skip first. */
	skip: z.number().int().min(0).optional(),
};

/** Whether the fault applies before or after the request is processed. */
const when = z.enum(['before', 'after']).optional();

const response = z.strictObject({
	status: z.number().int().min(200).max(599),
	/** `{request}` becomes the request, as JSON: as in a service that echoes it. */
	body: z.string().optional(),
	/** In place of the body, this many spaces, compressed. They are generated as they are sent. */
	gzipBytes: z.number().int().min(1).optional(),
	contentType: z.string().optional(),
	headers: z.record(z.string(), z.string()).optional(),
});

type Response = z.infer<typeof response>;

/** A fault to inject, which docs/local-service.md describes. */
export const faultSchema = z.discriminatedUnion('kind', [
	response.extend({ ...target, kind: z.literal('status'), when }),
	z.strictObject({ ...target, kind: z.literal('delay'), delayMs: milliseconds }),
	z.strictObject({ ...target, kind: z.literal('cut'), when }),
	z.strictObject({ ...target, kind: z.literal('half') }),
	z.strictObject({ ...target, kind: z.literal('drip'), everyMs: milliseconds }),
]);

/** A fault, with the requests it applies to. */
export type Fault = z.infer<typeof faultSchema>;

/** A fault that waits for requests. */
interface ActiveFault {
	readonly fault: Fault;
	/** Matching requests still to skip. */
	toSkip: number;
	timesLeft: number;
}

/** The parts of a request that a fault can match; the path is relative to the base URL. */
interface FaultTarget {
	method: string;
	path: string;
}

/** The active faults, in the order in which they were added. */
export class FaultList {
	private active: ActiveFault[] = [];

	/** @throws ZodError for an invalid fault */
	add(input: unknown): void {
		const fault = faultSchema.parse(input);
		this.active.push({ fault, toSkip: fault.skip ?? 0, timesLeft: fault.times ?? 1 });
	}

	clear(): void {
		this.active = [];
	}

	list(): Fault[] {
		return this.active.map(({ fault }) => fault);
	}

	/** Takes the delays and the first other fault, for a request that passed the checks. */
	take(target: FaultTarget): Fault[] {
		const taken: Fault[] = [];
		for (const entry of this.active) {
			const { fault } = entry;
			const isOneTooMany = fault.kind !== 'delay' && taken.some(({ kind }) => kind !== 'delay');
			if (isOneTooMany || !matches(fault, target)) continue;
			if (entry.toSkip > 0) {
				entry.toSkip -= 1;
				continue;
			}
			entry.timesLeft -= 1;
			taken.push(fault);
		}
		this.active = this.active.filter(({ timesLeft }) => timesLeft > 0);
		return taken;
	}
}

function matches({ match }: Fault, { method, path }: FaultTarget): boolean {
	if (match?.method !== undefined && match.method.toUpperCase() !== method) return false;
	return match?.path === undefined || match.path === path;
}

/**
 * Applies faults to a request.
 * @param process processes the request as the service does without a fault
 * @returns the response, or undefined to cut the connection
 */
export async function applyFaults(
	faults: readonly Fault[],
	request: FastifyRequest,
	process: () => Promise<Reply>,
): Promise<Reply<string | Readable> | undefined> {
	for (const fault of faults) {
		if (fault.kind === 'delay') await sleep(fault.delayMs, undefined, { ref: false });
	}
	const fault = faults.find(({ kind }) => kind !== 'delay');
	switch (fault?.kind) {
		case 'status':
			if (fault.when === 'after') await process();
			return replyOf(fault, request);
		case 'cut':
			if (fault.when === 'after') await process();
			return undefined;
		case 'half': {
			const reply = await process();
			const half = reply.body?.slice(0, Math.ceil(reply.body.length / 2)) ?? '';
			// Without a body, no part of it is sent before the connection is cut.
			return half === '' ? undefined : streamed(reply, cutOff(half));
		}
		case 'drip': {
			const reply = await process();
			return streamed(reply, drip(reply, fault.everyMs));
		}
		default:
			return await process();
	}
}

/** The response that a fault describes. */
function replyOf(
	{ status, headers, contentType = 'text/plain; charset=utf-8', body = '', gzipBytes }: Response,
	{ method, url, headers: received }: FastifyRequest,
): Reply<string | Readable> {
	const sent = { 'content-type': contentType, ...headers };
	if (gzipBytes !== undefined) {
		const compressed = stream(spaces(gzipBytes)).pipe(createGzip());
		return { status, headers: { ...sent, 'content-encoding': 'gzip' }, body: compressed };
	}
	const echoed = () => JSON.stringify({ method, url, headers: received });
	return { status, headers: sent, body: body.replaceAll('{request}', echoed) };
}

function* spaces(bytes: number): Generator<Buffer> {
	const piece = Buffer.alloc(65_536, ' ');
	for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

const stream = (chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Readable =>
	Readable.from(chunks, { objectMode: false });

/** Announces the whole body, and sends these parts of it. */
function streamed(reply: Reply, parts: AsyncIterable<Buffer>): Reply<Readable> {
	const length = String(Buffer.byteLength(reply.body ?? ''));
	return { ...reply, headers: { ...reply.headers, 'content-length': length }, body: stream(parts) };
}

/** Fails after a part, so that the connection is cut. */
async function* cutOff(part: string): AsyncGenerator<Buffer> {
	yield Buffer.from(part);
	throw new Error('The connection is cut on purpose');
}

/** A body, one byte at a time. */
async function* drip({ body = '' }: Reply, everyMs: number): AsyncGenerator<Buffer> {
	for (const byte of Buffer.from(body)) {
		yield Buffer.of(byte);
		await sleep(everyMs, undefined, { ref: false });
	}
}
