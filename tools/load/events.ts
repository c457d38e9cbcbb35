import { randomUUID } from 'node:crypto';
import { sampleActivity } from '../service';

/** One event to deliver. */
export interface Delivery {
	/** The activity's ID. */
	id: string;
	/** How many copies to send at the same time. Default: 1. */
	copies?: number;
	/** Whether to send it as somebody who does not know the webhook's secret. Default: no. */
	isForged?: boolean;
}

export const newActivityId = (): string => `act_${randomUUID().replaceAll('-', '')}`;

/** The IDs of new activities, without end: the prefix, followed by a number. */
export function* newIds(prefix: string): Generator<string, void> {
	for (let number = 1; number <= Number.MAX_SAFE_INTEGER; number += 1) yield `${prefix}${number}`;
}

/** The typical size of a delivery, in bytes. */
const BYTES = 2_048;
const template = sampleActivity('emailsReplied');
const filler = 'Thank you for your message. '.repeat(100);

/** How many leads the events are about. */
const LEADS = 200;

/** An email reply of about 2 KB as JSON, of the lead that the number at the end of its ID stands for. */
export function activityOf(id: string, secret?: string): Record<string, unknown> {
	const leadId = `lea_${Number(/\d{1,9}$/.exec(id)?.[0] ?? 0) % LEADS}`;
	const activity = {
		...template,
		leadId,
		_id: id,
		...(secret !== undefined && { secret }),
		text: '',
	};
	const room = BYTES - JSON.stringify(activity).length;
	return { ...activity, text: filler.slice(0, Math.max(0, room)) };
}

/** How a stream of events is mixed with copies and forged deliveries; a number of 20 means every 20th event. */
export interface Mixture {
	/** Events that are sent as two simultaneous copies. */
	twiceEvery?: number;
	/** Events that are sent again later. */
	againEvery?: number;
	/** After how many further events; several numbers mean several repetitions. */
	againAfter?: readonly number[];
	/** Events after which a forged delivery with an ID of its own is sent. */
	forgedEvery?: number;
}

/** Delivers each event, and copies and forged deliveries in between. */
export function* mixed(
	ids: Iterable<string>,
	{ twiceEvery, againEvery, againAfter = [], forgedEvery }: Mixture,
): Generator<Delivery> {
	const isTurn = (index: number, every: number | undefined) =>
		every !== undefined && index % every === 0;
	const repetitions: Array<{ at: number; id: string }> = [];
	let index = 0;
	for (const id of ids) {
		index += 1;
		yield isTurn(index, twiceEvery) ? { id, copies: 2 } : { id };
		if (isTurn(index, againEvery)) {
			repetitions.push(...againAfter.map((distance) => ({ at: index + distance, id })));
		}
		if (isTurn(index, forgedEvery)) yield { id: `forged_${id}`, isForged: true };
		for (const [position, repetition] of [...repetitions.entries()].reverse()) {
			if (repetition.at > index) continue;
			repetitions.splice(position, 1);
			yield { id: repetition.id };
		}
	}
	for (const { id } of repetitions) yield { id };
}
