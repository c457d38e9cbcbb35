import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleActivity } from '../service';

/** One delivery of an event. */
export interface Delivery {
	/** The activity's ID. */
	id: string;
	/** Whether to send it as somebody who does not know the webhook's secret. Default: no. */
	isForged?: boolean;
}

export const newActivityId = (): string => `act_${randomUUID().replaceAll('-', '')}`;

/** The typical size of a delivery, in bytes. */
const BYTES = 2_048;
const template = sampleActivity('emailsReplied');
const filler = 'Thank you for your message. '.repeat(100);

/** An email reply of about 2 KB as JSON. */
export function activityOf(id: string, secret?: string): Record<string, unknown> {
	const activity = { ...template, _id: id, ...(secret !== undefined && { secret }), text: '' };
	const room = BYTES - JSON.stringify(activity).length;
	return { ...activity, text: filler.slice(0, Math.max(0, room)) };
}

/** How deliveries of events are mixed with copies and forgeries; a number of 20 means every 20th event. */
export interface Mixture {
	/** Events that are delivered again. */
	againEvery?: number;
	/** After how many further events, 0 for at the same time; several numbers mean several copies. */
	againAfter?: readonly number[];
	/** Events after which a forged delivery with an ID of its own is sent. */
	forgedEvery?: number;
}

/** Delivers each event, and copies and forged deliveries in between. */
export function* mixed(
	ids: readonly string[],
	{ againEvery = 1, againAfter = [], forgedEvery = 0 }: Mixture = {},
): Generator<Delivery> {
	const length = ids.length + Math.max(0, ...againAfter);
	for (let index = 0; index < length; index++) {
		const id = ids[index];
		if (id !== undefined) yield { id };
		for (const distance of againAfter) {
			const earlier = ids[index - distance];
			if (earlier !== undefined && (index - distance) % againEvery === 0) yield { id: earlier };
		}
		if (id !== undefined && index % forgedEvery === 0) {
			yield { id: `forged_${id}`, isForged: true };
		}
	}
}

/** Waits this long before each event, but not before a copy that follows it. */
export async function* paced(
	deliveries: Iterable<Delivery>,
	everyMs: number,
): AsyncGenerator<Delivery> {
	let previous = '';
	for (const delivery of deliveries) {
		if (delivery.id !== previous) await pause(everyMs);
		previous = delivery.id;
		yield delivery;
	}
}
