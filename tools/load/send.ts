import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { activityOf, type Delivery } from './events';

/** One attempt to deliver one event. */
export interface Attempt {
	/** What identifies the event: it must run once. */
	event: string;
	/** Whether it lacks the webhook's secret; undefined if the receiver takes it either way. */
	isForged: boolean | undefined;
	/** Milliseconds since 1970. */
	from: number;
	until: number;
	/** Undefined if there was no response. */
	status: number | undefined;
}

export const isAccepted = ({ status = 0 }: Pick<Attempt, 'status'>): boolean =>
	status >= 200 && status <= 299;

/** Delivers one copy of an event. Resolves with its attempts once its outcome is final. */
export type Deliver = (delivery: Delivery) => Promise<Attempt[]>;

export interface Receiver {
	url: string;
	/** The secret in each activity; omitted if undefined. */
	secret?: string | undefined;
	/** Headers of each delivery besides its content type. */
	headers?: Record<string, string> | undefined;
	/** The maximum number of retries of a delivery without a 2xx. A forged one is never sent again. */
	redeliveries: number;
	/** How long to wait for a response, in milliseconds. Default: 30 seconds. */
	timeoutMs?: number | undefined;
	/** The maximum number of connections. */
	connections: number;
}

/** Milliseconds before the first retry; each further one waits a fifth longer. */
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;
const TIMEOUT_MS = 30_000;
/** As long as a real one. */
const WRONG_SECRET = 'f'.repeat(64);

const now = () => performance.timeOrigin + performance.now();

/** Sends deliveries over HTTP, as the service does (§6.6). The caller closes its connections. */
export function senderTo({
	url,
	secret,
	headers,
	redeliveries,
	timeoutMs,
	connections,
}: Receiver): {
	deliver: Deliver;
	close: () => Promise<void>;
} {
	const dispatcher = new Agent({ connections });
	const post = async (body: string): Promise<number | undefined> => {
		const options = { method: 'POST', body, dispatcher } as const;
		try {
			const response = await request(url, {
				...options,
				headers: { ...headers, 'content-type': 'application/json' },
				signal: AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS),
			});
			await response.body.dump();
			return response.statusCode;
		} catch {
			// No response is an outcome like any other.
			return undefined;
		}
	};
	const deliver: Deliver = async ({ id, isForged = false }) => {
		const body = JSON.stringify(activityOf(id, isForged ? WRONG_SECRET : secret));
		const attempts: Attempt[] = [];
		let isFinal = false;
		while (!isFinal) {
			const from = now();
			const status = await post(body);
			const attempt = { event: id, isForged, from, until: now(), status };
			const retries = attempts.length;
			attempts.push(attempt);
			isFinal = isForged || isAccepted(attempt) || retries >= redeliveries;
			if (!isFinal) await pause(Math.min(RETRY_MS * 1.2 ** retries, LONGEST_RETRY_MS));
		}
		return attempts;
	};
	return { deliver, close: () => dispatcher.destroy() };
}

/** How fast to send. */
export interface Pace {
	/** The maximum number of events in flight. */
	concurrency: number;
	/** Events to start per second. Default: as fast as the responses allow. */
	perSecond?: number | undefined;
	/** How long to start events, in milliseconds. Default: until there are no more. */
	forMs?: number;
}

/**
 * Sends events, reading the source only as fast as it sends.
 *
 * @returns the attempts, once the outcome of each event is final
 */
export async function send(
	source: Iterable<Delivery> | AsyncIterable<Delivery>,
	deliver: Deliver,
	{ concurrency, perSecond, forMs = Number.POSITIVE_INFINITY }: Pace,
): Promise<Attempt[]> {
	const attempts: Attempt[] = [];
	const deliveries = inOrder(source);
	const began = performance.now();
	let started = 0;
	/** Waits until the next event is due. @returns it; undefined if there is none, or the time is up */
	const next = async (): Promise<Delivery | undefined> => {
		const dueMs = perSecond === undefined ? 0 : (started * 1000) / perSecond;
		started += 1;
		await pause(Math.max(0, began + Math.min(dueMs, forMs) - performance.now()));
		if (performance.now() - began >= forMs) return undefined;
		const { value } = await deliveries.next();
		return value ?? undefined;
	};
	const deliverCopies = async (delivery: Delivery) => {
		const copies = Array.from({ length: delivery.copies ?? 1 }, () => deliver(delivery));
		for (const copy of await Promise.all(copies)) attempts.push(...copy);
	};
	const work = async () => {
		let delivery = await next();
		while (delivery !== undefined) {
			await deliverCopies(delivery);
			delivery = await next();
		}
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	return attempts;
}

/** An async generator queues concurrent calls of `next`, so that all can share one. */
async function* inOrder<Item>(
	source: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
	yield* source;
}
