import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { apiKeyFrom } from '../api/http';
import type { Fault } from './fault';

const HTML_PAGE =
	'<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>';

/** Cuts the connection without a response. */
function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/**
 * Applies a fault before the request is processed. Waits for a delay.
 * @returns whether the request is finished: it has a response, or its connection is cut.
 */
export async function applyBeforeProcessing(fault: Fault, reply: FastifyReply): Promise<boolean> {
	switch (fault.kind) {
		case 'delay':
			await sleep(fault.delayMs, undefined, { ref: false });
			return false;
		case 'html':
			reply
				.code(fault.status ?? 200)
				.type('text/html; charset=utf-8')
				.send(HTML_PAGE);
			return true;
		case 'status':
			if (fault.when === 'after') return false;
			reply.send(respondWith(fault, reply));
			return true;
		case 'cut':
			if (fault.when === 'after') return false;
			cut(reply);
			return true;
		default:
			return false;
	}
}

/**
 * Applies a fault to the response, once the request has been processed.
 * @returns the body to send instead, or undefined if nothing more is to be sent
 */
export function applyAfterProcessing(
	fault: Fault,
	reply: FastifyReply,
	body: string,
): string | Readable | undefined {
	switch (fault.kind) {
		case 'status':
			return fault.when === 'after' ? respondWith(fault, reply) : body;
		case 'cut':
			if (fault.when !== 'after') return body;
			cut(reply);
			return undefined;
		case 'brokenJson':
			reply.removeHeader('content-length');
			return body.slice(0, Math.ceil(body.length / 2));
		case 'half':
			sendHalf(reply, body);
			return undefined;
		case 'drip':
			void drip(reply, body, fault.everyMs);
			return undefined;
		default:
			return body;
	}
}

/** Sets the status and headers of a fault. @returns its body. */
function respondWith(
	fault: Extract<Fault, { kind: 'status' }>,
	reply: FastifyReply,
): string | Readable {
	const { status, headers = {}, contentType = 'text/plain; charset=utf-8', bytes, gzip } = fault;
	reply.code(status).type(contentType).removeHeader('content-length');
	if (gzip === true) reply.header('content-encoding', 'gzip');
	reply.headers(headers);
	const apiKey = apiKeyFrom(reply.request.headers.authorization) ?? '';
	const body = (fault.body ?? '').replaceAll('{apiKey}', () => apiKey);
	if (bytes === undefined && gzip !== true) return body;
	const content = Readable.from(repeated(Buffer.from(body), bytes ?? Buffer.byteLength(body)), {
		objectMode: false,
	});
	return gzip === true ? content.pipe(createGzip()) : content;
}

/** Repeats `unit` up to `bytes`, in pieces of at least 64 KB. An empty one is repeated as spaces. */
function* repeated(unit: Buffer, bytes: number): Generator<Buffer> {
	const piece = Buffer.alloc(
		Math.ceil(65_536 / Math.max(unit.length, 1)) * Math.max(unit.length, 1),
	);
	piece.fill(unit.length === 0 ? ' ' : unit);
	for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

/** Sends the headers with the length of the whole body, and leaves the body to the caller. */
function sendHeaders(reply: FastifyReply, bytes: Buffer): void {
	reply.hijack();
	for (const [name, value] of Object.entries(reply.getHeaders())) {
		if (value !== undefined) reply.raw.setHeader(name, value);
	}
	reply.raw.setHeader('content-length', bytes.length);
	reply.raw.writeHead(reply.statusCode);
}

/** Sends the body one byte at a time until the client disconnects. */
async function drip(reply: FastifyReply, body: string, everyMs: number): Promise<void> {
	const bytes = Buffer.from(body);
	sendHeaders(reply, bytes);
	for (const byte of bytes) {
		if (reply.raw.destroyed) return;
		reply.raw.write(Buffer.of(byte));
		await sleep(everyMs, undefined, { ref: false });
	}
	reply.raw.end();
}

/** Sends half of the body, then cuts the connection. */
function sendHalf(reply: FastifyReply, body: string): void {
	const bytes = Buffer.from(body);
	sendHeaders(reply, bytes);
	reply.raw.write(bytes.subarray(0, bytes.length / 2), () => reply.raw.destroy());
}
