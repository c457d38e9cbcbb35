import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityInput } from '../model/activity';
import { seededPick } from '../support/random';
import { evenShare } from '../support/share';
import type { EmitOptions } from './emitter';
import type { LedgerEntry } from './ledger';
import { Tally, type EmitManySummary } from './tally';

/** How many events are to be sent. */
export interface EmitManyOptions {
	/** Events under way at once. Default 32. */
	concurrency?: number;
	/** In the order given, or mixed within a hundred. With a concurrency above 1 an order is that of the starts. */
	order?: 'ordered' | 'shuffled';
	/** The share (0 to 1) of the events that are delivered twice at the same time. */
	double?: number;
	/** The maximum number of events started in a second. Default: as fast as possible. */
	ratePerSecond?: number;
	/** Decides how events are shuffled. */
	seed?: number;
	team?: string;
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
