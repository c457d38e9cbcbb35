import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityInput } from '../model/activity';
import { seededPick } from '../support/random';
import { evenShare } from '../support/share';
import type { EmitOptions } from './emitter';
import { isDelivered, type LedgerEntry } from './ledger';

/** How many events are to be sent. */
export interface EmitManyOptions {
	/** Events under way at once. Default 32. */
	concurrency?: number;
	/** In the order given, or mixed within a hundred. With a concurrency above 1 an order is that of the starts. */
	order?: 'ordered' | 'shuffled';
	/** The share (0 to 1) of the events that are delivered twice at the same time. */
	double?: number;
	/** Events started in a second at the most. Default: as fast as possible. */
	ratePerSecond?: number;
	/** Decides how events are shuffled. */
	seed?: number;
	team?: string;
}

/** What became of many events. */
export interface EmitManySummary {
	events: number;
	/** Deliveries whose fate is final: one for each hook and copy. */
	deliveries: number;
	delivered: number;
	failed: number;
	/** POSTs, repeated ones included. */
	attempts: number;
	/** How often each status or error ended an attempt. */
	outcomes: Record<string, number>;
	/** Milliseconds from first to last. */
	ms: number;
	deliveriesPerSecond: number;
}

const SHUFFLE_WINDOW = 100;

type Emit = (input: ActivityInput, options: EmitOptions) => Promise<LedgerEntry[]>;

/**
 * Sends one event after another out of `source`, which is read only as fast as events get away: never more than
 * `concurrency` of them (and a hundred when shuffled) are held in memory.
 */
export async function emitMany(
	source: Iterable<ActivityInput> | AsyncIterable<ActivityInput>,
	emit: Emit,
	options: EmitManyOptions = {},
): Promise<EmitManySummary> {
	const { concurrency = 32, order = 'ordered', ratePerSecond, team } = options;
	const isDoubled = evenShare(options.double ?? 0);
	const began = performance.now();
	const tally = new Tally();
	const events = order === 'shuffled' ? shuffled(source, options.seed ?? 1) : inOrder(source);
	let started = 0;

	const work = async () => {
		for (let next = await events.next(); next.done !== true; next = await events.next()) {
			const place = started++;
			const copies = isDoubled() ? 2 : 1;
			if (ratePerSecond !== undefined) await sleepUntil(began + (place * 1000) / ratePerSecond);
			tally.add(await emit(next.value, { copies, ...(team !== undefined && { team }) }));
		}
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	return tally.summary(performance.now() - began);
}

async function sleepUntil(moment: number): Promise<void> {
	const waitMs = moment - performance.now();
	if (waitMs > 0) await sleep(waitMs);
}

// An async generator queues concurrent calls of next(), so the workers can share one.
async function* inOrder<T>(source: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void> {
	yield* source;
}

/** Holds back a hundred, and lets a random one of them go for each that comes. */
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

class Tally {
	private events = 0;
	private delivered = 0;
	private failed = 0;
	private attempts = 0;
	private readonly outcomes: Record<string, number> = {};

	add(entries: readonly LedgerEntry[]): void {
		this.events += 1;
		for (const entry of entries) {
			this.attempts += 1;
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
