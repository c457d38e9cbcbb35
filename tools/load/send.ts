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

/** Delivers an event once. Resolves with its attempts once its outcome is final. */
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

/** How long to wait before a retry, in milliseconds. */
const RETRY_MS = 1_000;
/** As long as a real one. */
const WRONG_SECRET = 'f'.repeat(64);

const now = () => performance.timeOrigin + performance.now();

/** Sends deliveries over HTTP, as the service does (§6.6). The caller closes its connections. */
export function senderTo({
	url,
	secret,
	headers,
	redeliveries,
	timeoutMs = 30_000,
	connections,
}: Receiver): { deliver: Deliver; close: () => Promise<void> } {
	const dispatcher = new Agent({ connections });
	const post = async (body: string): Promise<number | undefined> => {
		try {
			const response = await request(url, {
				method: 'POST',
				body,
				dispatcher,
				headers: { ...headers, 'content-type': 'application/json' },
				signal: AbortSignal.timeout(timeoutMs),
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
			attempts.push(attempt);
			isFinal = isForged || isAccepted(attempt) || attempts.length > redeliveries;
			if (!isFinal) await pause(RETRY_MS);
		}
		return attempts;
	};
	return { deliver, close: () => dispatcher.destroy() };
}

/**
 * Makes deliveries, taking the next one only when there are fewer than `concurrency` in flight.
 *
 * @returns the attempts, once the outcome of each is final
 */
export async function send(
	deliveries: Generator<Delivery> | AsyncGenerator<Delivery>,
	deliver: Deliver,
	concurrency: number,
): Promise<Attempt[]> {
	const attempts: Attempt[] = [];
	const work = async () => {
		// All workers share the generator, so each of them gets other deliveries.
		for await (const delivery of deliveries) attempts.push(...(await deliver(delivery)));
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	return attempts;
}
