import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityInput } from '../model/activity';
import { evenShare, seededPick } from '../support';
import { isDelivered, type LedgerEntry } from './dispatcher';
import type { EmitOptions } from './emitter';

/** How to send many events. */
export interface EmitManyOptions {
	/** Events in flight at once. Default: `DEFAULT_CONCURRENCY`. */
	concurrency?: number;
	/** Start the events in the order given, or shuffled within a window of events. Default: ordered. */
	order?: 'ordered' | 'shuffled';
	/** The share (0 to 1) of events that are delivered twice at the same time. */
	double?: number;
	/** Most events to start per second. Default: as many as possible. */
	ratePerSecond?: number;
	/** Seed of the shuffle. */
	seed?: number;
}

/** The outcomes of many events. */
export interface EmitManySummary {
	events: number;
	/** Deliveries with a final outcome: one for each webhook and copy. */
	deliveries: number;
	delivered: number;
	failed: number;
	/** POST requests, retries included. */
	attempts: number;
	/** The number of attempts by status or error, those included that were not sent. */
	outcomes: Record<string, number>;
	/** Total duration in milliseconds. */
	ms: number;
	deliveriesPerSecond: number;
}

export const DEFAULT_CONCURRENCY = 32;

/** Events that a shuffle holds in memory to pick the next one from. */
const SHUFFLE_WINDOW = 100;

type Emit = (input: ActivityInput, options: EmitOptions) => Promise<LedgerEntry[]>;

/**
 * Sends the events of `source`, reading it only as fast as it sends: at most `concurrency` events (plus the shuffle's
 * window) are in memory.
 */
export async function emitMany(
	source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
	emit: Emit,
	options: EmitManyOptions = {},
): Promise<EmitManySummary> {
	const { concurrency = DEFAULT_CONCURRENCY, order = 'ordered', ratePerSecond } = options;
	const isDoubled = evenShare();
	const began = performance.now();
	const tally = new Tally();
	const events = order === 'shuffled' ? shuffled(source, options.seed ?? 1) : inOrder(source);
	let started = 0;

	const work = async () => {
		for (let next = await events.next(); next.done !== true; next = await events.next()) {
			const index = started++;
			const copies = isDoubled(options.double ?? 0) ? 2 : 1;
			if (ratePerSecond !== undefined) await sleepUntil(began + (index * 1000) / ratePerSecond);
			tally.add(await emit(next.value, { copies }));
		}
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	return tally.summary(performance.now() - began);
}

async function sleepUntil(time: number): Promise<void> {
	const waitMs = time - performance.now();
	if (waitMs > 0) await sleep(waitMs);
}

// An async generator queues concurrent calls of next(), so the workers can share one.
async function* inOrder<T>(source: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void> {
	yield* source;
}

/** Fills a window, then yields a random item of it for each item read. */
async function* shuffled<T>(
	source: Iterable<T> | AsyncIterable<T>,
	seed: number,
): AsyncGenerator<T, void> {
	const pick = seededPick(seed);
	const held: T[] = [];
	for await (const item of source) {
		held.push(item);
		if (held.length >= SHUFFLE_WINDOW) yield* held.splice(pick(held.length), 1);
	}
	while (held.length > 0) yield* held.splice(pick(held.length), 1);
}

/** Counts outcomes without keeping the entries. */
class Tally {
	private events = 0;
	private delivered = 0;
	private failed = 0;
	private attempts = 0;
	private readonly outcomes: Record<string, number> = {};

	add(entries: readonly LedgerEntry[]): void {
		this.events += 1;
		for (const entry of entries) {
			if (entry.sent) this.attempts += 1;
			const outcome = String(entry.status ?? entry.error);
			this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
			if (entry.final && isDelivered(entry)) this.delivered += 1;
			else if (entry.final) this.failed += 1;
		}
	}

	summary(ms: number): EmitManySummary {
		const { events, delivered, failed, attempts, outcomes } = this;
		const deliveries = delivered + failed;
		return {
			events,
			deliveries,
			delivered,
			failed,
			attempts,
			outcomes,
			ms: Math.round(ms),
			deliveriesPerSecond: Math.round((deliveries * 1000) / Math.max(ms, 1)),
		};
	}
}
