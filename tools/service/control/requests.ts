import { z } from 'zod';
import { DEFAULT_CONCURRENCY } from '../delivery/emitMany';
import type { ActivityInput } from '../model/activity';
import { EVENT_TYPES } from '../model/eventTypes';

/** A webhook to add as if another client had created it. */
export const hookRequest = z.strictObject({
	targetUrl: z.string().url(),
	type: z.string().optional(),
	campaignId: z.string().optional(),
	isFirst: z.boolean().optional(),
	toolLinkId: z.number().int().optional(),
	secret: z.string().optional(),
});

/** An event to send: its type, and the activity fields that differ from a sample. */
export const eventRequest = z.object({ type: z.string().min(1) }).passthrough();

/** Sample events to send. */
export const manyRequest = z.strictObject({
	count: z.number().int().min(1).max(1_000_000),
	types: z
		.array(z.string().min(1))
		.min(1)
		.default([...EVENT_TYPES]),
	concurrency: z.number().int().min(1).max(1000).default(DEFAULT_CONCURRENCY),
	order: z.enum(['ordered', 'shuffled']).default('ordered'),
	double: z.number().min(0).max(1).default(0),
	ratePerSecond: z.number().positive().default(Number.MAX_SAFE_INTEGER),
	seed: z.number().int().default(1),
});

/** Switches to set. The service validates names and values. */
export const changesRequest = z.record(z.string(), z.unknown());

export const keyRequest = z.strictObject({
	key: z.string().min(1),
	team: z.string().min(1).nullable().optional(),
});

/** How many of the newest entries to return; without it, all. */
export const limitQuery = z.object({ limit: z.coerce.number().int().min(1).optional() });

/** Generates `count` events lazily, cycling through the types. */
export function* sampleStream(
	count: number,
	types: readonly string[],
): Generator<ActivityInput, void> {
	for (let index = 0; index < count; index++) {
		const type = types[index % types.length];
		if (type !== undefined) yield { type };
	}
}
