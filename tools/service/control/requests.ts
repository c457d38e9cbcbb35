import { z } from 'zod';
import type { ActivityInput } from '../model/activity';
import { EVENT_TYPES } from '../model/eventTypes';

/** A hook that appears as if somebody else had made it. */
export const hookRequest = z.strictObject({
	targetUrl: z.string().url(),
	type: z.string().optional(),
	campaignId: z.string().optional(),
	isFirst: z.boolean().optional(),
	toolLinkId: z.number().int().optional(),
	secret: z.string().optional(),
});

/** An event: its type, and whatever of the activity should differ from a sample. */
export const eventRequest = z.object({ type: z.string().min(1) }).passthrough();

/** Many sample events. */
export const manyRequest = z.strictObject({
	count: z.number().int().min(1).max(1_000_000),
	types: z
		.array(z.string().min(1))
		.min(1)
		.default([...EVENT_TYPES]),
	concurrency: z.number().int().min(1).max(1000).default(32),
	order: z.enum(['ordered', 'shuffled']).default('ordered'),
	double: z.number().min(0).max(1).default(0),
	ratePerSecond: z.number().positive().default(Number.MAX_SAFE_INTEGER),
	seed: z.number().int().default(1),
});

/** Switches to set. Names and values are checked by the service, which knows what holds now. */
export const changesRequest = z.record(z.string(), z.unknown());

export const keyRequest = z.strictObject({
	key: z.string().min(1),
	team: z.string().min(1).nullable().optional(),
});

/** `count` events, of the types in turn; made one by one when they are asked for. */
export function* sampleStream(
	count: number,
	types: readonly string[],
): Generator<ActivityInput, void> {
	for (let index = 0; index < count; index++) {
		const type = types[index % types.length];
		if (type !== undefined) yield { type };
	}
}
