import type { Run, Runs } from './runs';

/** One attempt to deliver one event to a production address of n8n's. */
export interface Attempt {
	address: string;
	/** The event of the webhook; `*` for all events. */
	subscription: string;
	type: string;
	id: string;
	/** Milliseconds since 1970. */
	from: number;
	until: number;
	/** Undefined when no response came. */
	status: number | undefined;
}

/** Whether the trigger's settings at the time select the event; `maybe` while they were being changed. */
export type Selected = 'yes' | 'no' | 'maybe';

/** How many 2xx had which reason. */
export interface Reasons {
	ran: number;
	duplicate: number;
	'not selected': number;
	'n8n was starting': number;
}

export interface Conservation {
	/** A line for each event that was lost, or ran too often. */
	wrong: string[];
	reasons: Reasons;
}

/**
 * Compares what n8n said it took with what it ran. An event is one activity of one type at one webhook's address.
 * Each that got a 2xx has exactly one execution; a 2xx without one of its own has a reason with a name.
 *
 * @param downTimes when n8n did not run or was starting: it answers every request with 200 then (D36). What a
 *   process knows of duplicates ends with it.
 */
export function conservation(
	attempts: readonly Attempt[],
	{ runs, unreadable }: Runs,
	downTimes: ReadonlyArray<{ from: number; until: number }>,
	selected: (attempt: Attempt) => Selected,
): Conservation {
	const reasons: Reasons = { ran: 0, duplicate: 0, 'not selected': 0, 'n8n was starting': 0 };
	const lost: string[] = [];
	const wrong: string[] = [];
	const runsOf = groupBy(runs, keyOf);
	const attemptsOf = groupBy(attempts, keyOf);

	for (const [key, tries] of attemptsOf) {
		const own = runsOf.get(key) ?? [];
		const taken = tries.filter(({ status = 0 }) => status >= 200 && status <= 299);
		const acknowledged = taken.filter(({ from, until }) =>
			downTimes.every((down) => until < down.from || from > down.until),
		);
		reasons['n8n was starting'] += taken.length - acknowledged.length;
		reasons.ran += Math.min(own.length, acknowledged.length);
		if (own.length > 0) reasons.duplicate += Math.max(0, acknowledged.length - own.length);
		else {
			const needed = acknowledged.filter((attempt) => selected(attempt) === 'yes');
			reasons['not selected'] += acknowledged.length - needed.length;
			const [first] = needed;
			if (first) lost.push(`lost: ${describe(first)} was answered ${first.status}, and never ran`);
		}
		for (const copies of groupBy(own, ({ at }) => lifeOf(at, downTimes)).values()) {
			if (copies.length < 2) continue;
			const executions = copies.map(({ execution }) => execution).join(', ');
			wrong.push(`ran ${copies.length} times: ${describe(copies[0])} (executions ${executions})`);
		}
		if (own[0] && tries.every((attempt) => selected(attempt) === 'no')) {
			wrong.push(`ran though not selected: ${describe(own[0])}`);
		}
	}
	for (const [key, [run]] of runsOf) {
		if (!attemptsOf.has(key)) wrong.push(`ran though never delivered: ${describe(run)}`);
	}
	return { wrong: [...(lost.length > unreadable ? lost : []), ...wrong], reasons };
}

type Event = Pick<Run, 'address' | 'subscription' | 'type' | 'id'>;

const keyOf = ({ address, subscription, type, id }: Event) =>
	[address, subscription, type, id].join('\n');

const describe = (event: Event | undefined) =>
	event === undefined
		? ''
		: `${event.type} ${event.id} at ${event.address}?event=${event.subscription}`;

/** Which of n8n's processes, one after the other, something happened in. */
const lifeOf = (at: number, downTimes: ReadonlyArray<{ from: number }>) =>
	downTimes.filter(({ from }) => from <= at).length;

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
	const groups = new Map<Key, Item[]>();
	for (const item of items) {
		const group = groups.get(keyOf(item)) ?? [];
		group.push(item);
		groups.set(keyOf(item), group);
	}
	return groups;
}
