/** What the service can do wrong on request. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { apiKeyFrom } from './keys';
import { evenShare } from './support';

const milliseconds = z.number().int().min(0).max(600_000);
const status = z.number().int().min(200).max(599);
const headers = z.record(z.string(), z.string());

/** Which requests a fault applies to, and to how many of them. */
const target = {
	match: z
		.strictObject({
			/** Case-insensitive. */
			method: z.string().optional(),
			/** Relative to the base URL, such as `/hooks`; a `*` stands for any characters. */
			path: z.string().optional(),
		})
		.optional(),
	/** Applies to the next N matching requests. Default: 1, or no limit with a `share`. */
	times: z.number().int().min(1).optional(),
	/** Applies to a share (0 to 1) of the matching requests, spread evenly. */
	share: z.number().min(0).max(1).optional(),
	/** How many matching requests to skip first. */
	skip: z.number().int().min(0).optional(),
};

/** Whether the fault applies before or after the request is processed. */
const when = z.enum(['before', 'after']).optional();

/** Who may respond in place of the service. */
export const GATEWAYS = [
	'ingress',
	'maintenance',
	'firewall',
	'plan',
	'login',
	'timeout',
	'echo',
] as const;

type Gateway = (typeof GATEWAYS)[number];

/** A fault to inject, with what each kind does, for the control page and the docs. */
export const faultSchema = z.discriminatedUnion('kind', [
	z
		.strictObject({
			...target,
			kind: z.literal('status'),
			status,
			/** `{apiKey}` becomes the key of the request, as in a service that echoes it. */
			body: z.string().optional(),
			/** The length of the body, which is repeated up to it. It is generated as it is sent. */
			bytes: z.number().int().min(1).optional(),
			/** Compresses the body; `bytes` is its length before that. */
			gzip: z.boolean().optional(),
			contentType: z.string().optional(),
			headers: headers.optional(),
			when,
		})
		.describe(
			'responds with a status, a body and headers. With `when` = `after`, it first processes the request. In the body, `{apiKey}` becomes the key of the request. `bytes` repeats the body up to this length, and `gzip` compresses it',
		),
	z
		.strictObject({ ...target, kind: z.literal('delay'), delayMs: milliseconds })
		.describe('waits `delayMs` before processing the request'),
	z
		.strictObject({ ...target, kind: z.literal('cut'), when })
		.describe('cuts the connection. With `when` = `after`, it first processes the request'),
	z
		.strictObject({ ...target, kind: z.literal('half') })
		.describe('processes the request, sends half of the response and cuts the connection'),
	z
		.strictObject({ ...target, kind: z.literal('drip'), everyMs: milliseconds })
		.describe('processes the request and sends the response one byte at a time, every `everyMs`'),
	z
		.strictObject({ ...target, kind: z.literal('gateway'), who: z.enum(GATEWAYS) })
		.describe(
			'responds as something between the client and the service would, without processing the request. `who` is `ingress` (it has no backend, 404), `maintenance` (a page, 200), `firewall` (403), `plan` (403 with an error in JSON about the IP address), `login` (302), `timeout` (504) or `echo` (the request with its headers, 200)',
		),
	z
		.strictObject({ ...target, kind: z.literal('brokenJson') })
		.describe('processes the request and responds with truncated JSON'),
	z
		.strictObject({ ...target, kind: z.literal('clock'), skewMs: z.number().int() })
		.describe('skews the clock in Date and X-RateLimit-Reset by `skewMs`'),
	z
		.strictObject({ ...target, kind: z.literal('headers'), headers })
		.describe('adds or replaces response headers'),
]);

/** A fault, with the requests it applies to. */
export type Fault = z.infer<typeof faultSchema>;

/** Whether a fault only changes headers. Such a fault applies to error responses too, and together with other faults. */
const changesOnlyHeaders = ({ kind }: Fault): boolean => kind === 'clock' || kind === 'headers';

const EXAMPLES: { [Kind in Fault['kind']]: Extract<Fault, { kind: Kind }> } = {
	status: {
		kind: 'status',
		status: 503,
		body: 'Service Unavailable',
		times: 3,
		match: { path: '/hooks*' },
	},
	delay: { kind: 'delay', delayMs: 2000, times: 1 },
	cut: { kind: 'cut', when: 'after', times: 1, match: { method: 'POST', path: '/hooks' } },
	half: { kind: 'half', times: 1 },
	drip: { kind: 'drip', everyMs: 1000, times: 1 },
	gateway: { kind: 'gateway', who: 'ingress', times: 3 },
	brokenJson: { kind: 'brokenJson', times: 1 },
	clock: { kind: 'clock', skewMs: -3_600_000, times: 10 },
	headers: { kind: 'headers', headers: { 'retry-after': 'soon' }, times: 1 },
};

/** An example of each kind, and what it does. */
export const FAULTS = Object.values(EXAMPLES).map((example) => ({
	example,
	text: faultSchema.optionsMap.get(example.kind)?.description ?? '',
}));

/** A fault that waits for requests. */
export interface ActiveFault {
	readonly id: number;
	readonly fault: Fault;
}

interface Entry extends ActiveFault {
	readonly isInShare: (share: number) => boolean;
	/** Matching requests still to skip. */
	toSkip: number;
	/** Infinity if only a share limits it. */
	timesLeft: number;
}

/** The parts of a request that a fault can match; the path is relative to the base URL. */
interface FaultTarget {
	method: string;
	path: string;
}

/** The active faults, in the order in which they were added. */
export class FaultList {
	private active: Entry[] = [];
	private lastId = 0;

	/** @throws ZodError for an invalid fault. @returns its ID. */
	add(input: unknown): number {
		const fault = faultSchema.parse(input);
		this.lastId += 1;
		this.active.push({
			id: this.lastId,
			fault,
			isInShare: evenShare(),
			toSkip: fault.skip ?? 0,
			timesLeft: fault.times ?? (fault.share === undefined ? 1 : Number.POSITIVE_INFINITY),
		});
		return this.lastId;
	}

	/** Removes one fault, or all. */
	clear(id?: number): void {
		this.active = id === undefined ? [] : this.active.filter((entry) => entry.id !== id);
	}

	list(): ActiveFault[] {
		return this.active.map(({ id, fault }) => ({ id, fault }));
	}

	/** Takes the faults that change headers, for a request that has just arrived. */
	takeHeaderFaults(target: FaultTarget): Fault[] {
		return this.take(target, changesOnlyHeaders);
	}

	/** Takes the delays and the first other fault, for a request that passed the checks. */
	takeRequestFaults(target: FaultTarget): Fault[] {
		const isOther = (fault: Fault) => fault.kind !== 'delay' && !changesOnlyHeaders(fault);
		return [...this.take(target, ({ kind }) => kind === 'delay'), ...this.take(target, isOther, 1)];
	}

	private take(
		target: FaultTarget,
		isEligible: (fault: Fault) => boolean,
		max = Number.POSITIVE_INFINITY,
	): Fault[] {
		const chosen: Fault[] = [];
		for (const entry of this.active) {
			if (chosen.length === max) break;
			if (!isEligible(entry.fault) || !matches(entry.fault, target)) continue;
			if (entry.toSkip > 0) {
				entry.toSkip -= 1;
				continue;
			}
			if (!entry.isInShare(entry.fault.share ?? 1)) continue;
			entry.timesLeft -= 1;
			chosen.push(entry.fault);
		}
		this.active = this.active.filter(({ timesLeft }) => timesLeft > 0);
		return chosen;
	}
}

function matches({ match }: Fault, { method, path }: FaultTarget): boolean {
	if (match?.method !== undefined && match.method.toUpperCase() !== method) return false;
	if (match?.path === undefined) return true;
	const fixedParts = match.path
		.split('*')
		.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
	return new RegExp(`^${fixedParts.join('.*')}$`, 's').test(path);
}

/** Responds as something that stands between n8n and the service. */
function respondAsGateway(who: Gateway, reply: FastifyReply): void {
	const { headers, method, url, body } = reply.request;
	const page = (title: string) =>
		`<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
	const responses: Record<Gateway, [status: number, type: string, body: string]> = {
		ingress: [404, 'text/plain', 'default backend - 404'],
		maintenance: [200, 'text/html', page('Down for maintenance')],
		firewall: [403, 'text/html', page('Access denied')],
		plan: [403, 'application/json', '{"error":"IP address not allowed"}'],
		login: [302, 'text/html', page('Found')],
		timeout: [504, 'text/html', page('Gateway time-out')],
		echo: [200, 'application/json', JSON.stringify({ method, url, headers, body })],
	};
	const [status, type, content] = responses[who];
	if (who === 'login') reply.header('location', 'https://login.example.com/');
	reply.code(status).type(type).send(content);
}

/** Cuts the connection without a response. */
function cut(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.destroy();
}

/**
 * Applies a fault before the request is processed. Waits for a delay. `addHeaders` in `api.ts` applies those that change
 * headers alone.
 * @returns whether the request is finished: it has a response, or its connection is cut.
 */
export async function applyBeforeProcessing(fault: Fault, reply: FastifyReply): Promise<boolean> {
	switch (fault.kind) {
		case 'delay':
			await sleep(fault.delayMs, undefined, { ref: false });
			return false;
		case 'gateway':
			respondAsGateway(fault.who, reply);
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
