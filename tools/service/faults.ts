/** What the service can do wrong on request. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { apiKeyFrom, type Reply } from './http';
import { evenShare } from './support';

const milliseconds = z.number().int().min(0).max(600_000);

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

const response = z.strictObject({
	status: z.number().int().min(200).max(599),
	/** `{apiKey}` and `{request}` become those of the request, as in a service that echoes them. */
	body: z.string().optional(),
	/** The length of the body, which is repeated up to it. It is generated as it is sent. */
	bytes: z.number().int().min(1).optional(),
	/** Compresses the body; `bytes` is its length before that. */
	gzip: z.boolean().optional(),
	contentType: z.string().optional(),
	headers: z.record(z.string(), z.string()).optional(),
});

type Response = z.infer<typeof response>;

const page = (title: string) => ({
	contentType: 'text/html',
	body: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
});
const who = z.enum(['ingress', 'maintenance', 'firewall', 'plan', 'login', 'timeout', 'echo']);

/** Who may respond in place of the service. */
export const GATEWAYS = who.options;

const RESPONSES: Record<(typeof GATEWAYS)[number], Response> = {
	ingress: { status: 404, body: 'default backend - 404' },
	maintenance: { status: 200, ...page('Down for maintenance') },
	firewall: { status: 403, ...page('Access denied') },
	plan: {
		status: 403,
		contentType: 'application/json',
		body: '{"error":"IP address not allowed"}',
	},
	login: { status: 302, headers: { location: 'https://login.example.com/' }, ...page('Found') },
	timeout: { status: 504, ...page('Gateway time-out') },
	echo: { status: 200, contentType: 'application/json', body: '{request}' },
};

/** A fault to inject. The descriptions are for the control page and docs/local-service.md. */
export const faultSchema = z.discriminatedUnion('kind', [
	response
		.extend({ ...target, kind: z.literal('status'), when })
		.describe(
			'responds with a status, a body and headers. With `when` = `after`, it first processes the request. In the body, `{apiKey}` becomes the key of the request, and `{request}` the request as JSON. `bytes` repeats the body up to this length, and `gzip` compresses it',
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
		.strictObject({ ...target, kind: z.literal('gateway'), who })
		.describe(
			'responds as something between the client and the service would, without processing the request. `who` is `ingress` (it has no backend, 404), `maintenance` (a page, 200), `firewall` (403), `plan` (403 with an error in JSON about the IP address), `login` (302), `timeout` (504) or `echo` (the request with its headers, 200)',
		),
	z
		.strictObject({ ...target, kind: z.literal('brokenJson') })
		.describe('processes the request and responds with truncated JSON'),
]);

/** A fault, with the requests it applies to. */
export type Fault = z.infer<typeof faultSchema>;

const EXAMPLES: Fault[] = [
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
	{ kind: 'gateway', who: 'ingress', times: 3 },
	{ kind: 'brokenJson', times: 1 },
];

/** An example of each kind, and what it does. */
export const FAULTS = EXAMPLES.map((example) => ({
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
			if (!entry.isInShare(fault.share ?? 1)) continue;
			entry.timesLeft -= 1;
			taken.push(fault);
		}
		this.active = this.active.filter(({ timesLeft }) => timesLeft > 0);
		return taken;
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
		case 'gateway':
			return replyOf(RESPONSES[fault.who], request);
		case 'status':
			if (fault.when === 'after') await process();
			return replyOf(fault, request);
		case 'cut':
			if (fault.when === 'after') await process();
			return undefined;
		case 'brokenJson': {
			const reply = await process();
			return { ...reply, body: halfOf(reply) };
		}
		case 'half': {
			const reply = await process();
			const half = halfOf(reply);
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
	{ status, headers, contentType = 'text/plain; charset=utf-8', bytes, gzip, ...given }: Response,
	{ method, url, headers: received }: FastifyRequest,
): Reply<string | Readable> {
	const apiKey = apiKeyFrom(received.authorization) ?? '';
	const body = (given.body ?? '')
		.replaceAll('{apiKey}', () => apiKey)
		.replaceAll('{request}', () => JSON.stringify({ method, url, headers: received }));
	const encoding = gzip === true && { 'content-encoding': 'gzip' };
	const reply = { status, headers: { 'content-type': contentType, ...encoding, ...headers } };
	if (bytes === undefined && gzip !== true) return { ...reply, body };
	const content = stream(repeated(Buffer.from(body), bytes ?? Buffer.byteLength(body)));
	return { ...reply, body: gzip === true ? content.pipe(createGzip()) : content };
}

/** Repeats `unit` up to `bytes`, in pieces of at least 64 KB. An empty one is repeated as spaces. */
function* repeated(unit: Buffer, bytes: number): Generator<Buffer> {
	const length = Math.max(unit.length, 1);
	const piece = Buffer.alloc(Math.ceil(65_536 / length) * length, unit.length === 0 ? ' ' : unit);
	for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

const stream = (chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Readable =>
	Readable.from(chunks, { objectMode: false });

const halfOf = ({ body = '' }: Reply): string => body.slice(0, Math.ceil(body.length / 2));

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
