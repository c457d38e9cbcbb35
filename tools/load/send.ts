/** Deliveries of events to n8n. */
import { randomUUID } from 'node:crypto';
import type { RunningService } from '../service';

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

export const newActivityId = (): string => `act_${randomUUID().replaceAll('-', '')}`;

/**
 * Has the local service deliver an email reply: it knows its webhooks' secrets, and when to deliver again.
 *
 * @param copies how many its webhook receives at the same time
 * @returns the attempts, once the outcome is final
 */
export async function deliverReply(
	service: RunningService,
	id: string,
	copies = 1,
): Promise<Attempt[]> {
	const entries = await service.emit({ type: 'emailsReplied', _id: id }, { copies });
	return entries.map(({ at, ms, status }) => {
		const from = Date.parse(at);
		return { event: id, isForged: false, from, until: from + ms, status };
	});
}

/**
 * Makes deliveries, taking the next one only when there are fewer than `concurrency` in flight.
 *
 * @returns the attempts, once the outcome of each is final
 */
export async function send<Delivery>(
	deliveries: IterableIterator<Delivery> | AsyncGenerator<Delivery>,
	deliver: (delivery: Delivery) => Promise<Attempt[]>,
	concurrency: number,
): Promise<Attempt[]> {
	const attempts: Attempt[] = [];
	const work = async () => {
		// All workers share the iterator, so each of them gets other deliveries.
		for await (const delivery of deliveries) attempts.push(...(await deliver(delivery)));
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	return attempts;
}
