import type { Run, Runs } from './runs';

/** One attempt to deliver one event to a production URL of n8n. */
export interface Attempt {
	webhookUrl: string;
	/** The event of the webhook; `*` for all events. */
	subscription: string;
	type: string;
	id: string;
	/** Milliseconds since 1970. */
	from: number;
	until: number;
	/** Undefined if there was no response. */
	status: number | undefined;
}

/** Whether the trigger's settings at that time select the event; `maybe` while they were changing. */
export type Selected = 'yes' | 'no' | 'maybe';

/** The number of 2xx responses, by reason. */
export interface Reasons {
	ran: number;
	duplicate: number;
	'not selected': number;
	'n8n was starting': number;
}

export interface Conservation {
	/** A line for each event that was lost, or that ran without a reason. */
	problems: string[];
	reasons: Reasons;
}

/**
 * Compares the events that n8n accepted with those that it ran. An event is one activity of one type at one webhook
 * URL. Each event with a 2xx must have exactly one execution, and each further 2xx must have one of the other reasons.
 *
 * @param downTimes when n8n was down or starting: while starting, it responds to every request with 200 (D36). A
 *   restart also clears what the process remembers for deduplication.
 */
export function conservation(
	attempts: readonly Attempt[],
	{ runs, unreadable }: Runs,
	downTimes: ReadonlyArray<{ from: number; until: number }>,
	selected: (attempt: Attempt) => Selected,
): Conservation {
	const reasons: Reasons = { ran: 0, duplicate: 0, 'not selected': 0, 'n8n was starting': 0 };
	const lost: string[] = [];
	const problems: string[] = [];
	const runsOf = groupBy(runs, keyOf);
	const attemptsOf = groupBy(attempts, keyOf);

	for (const [key, tries] of attemptsOf) {
		const own = runsOf.get(key) ?? [];
		const accepted = tries.filter(({ status = 0 }) => status >= 200 && status <= 299);
		const acknowledged = accepted.filter(({ from, until }) =>
			downTimes.every((down) => until < down.from || from > down.until),
		);
		reasons['n8n was starting'] += accepted.length - acknowledged.length;
		reasons.ran += Math.min(own.length, acknowledged.length);
		if (own.length > 0) reasons.duplicate += Math.max(0, acknowledged.length - own.length);
		else {
			const needed = acknowledged.filter((attempt) => selected(attempt) === 'yes');
			reasons['not selected'] += acknowledged.length - needed.length;
			const [first] = needed;
			if (first) lost.push(`lost: ${describe(first)} got status ${first.status}, but never ran`);
		}
		for (const copies of groupBy(own, ({ at }) => processOf(at, downTimes)).values()) {
			if (copies.length < 2) continue;
			const executions = copies.map(({ execution }) => execution).join(', ');
			problems.push(
				`ran ${copies.length} times: ${describe(copies[0])} (executions ${executions})`,
			);
		}
		if (own[0] && tries.every((attempt) => selected(attempt) === 'no')) {
			problems.push(`ran although not selected: ${describe(own[0])}`);
		}
	}
	for (const [key, [run]] of runsOf) {
		if (!attemptsOf.has(key)) problems.push(`ran although never delivered: ${describe(run)}`);
	}
	// As many events may be in the executions that cannot be read, of which a kill leaves some.
	const excused = downTimes.length > 0 ? unreadable : 0;
	return { problems: [...(lost.length > excused ? lost : []), ...problems], reasons };
}

type Event = Pick<Run, 'webhookUrl' | 'subscription' | 'type' | 'id'>;

const keyOf = ({ webhookUrl, subscription, type, id }: Event) =>
	[webhookUrl, subscription, type, id].join('\n');

const describe = (event: Event | undefined) =>
	event === undefined
		? ''
		: `${event.type} ${event.id} at ${event.webhookUrl}?event=${event.subscription}`;

/** The number of the n8n process, counted over restarts, that was running at a time. */
const processOf = (at: number, downTimes: ReadonlyArray<{ from: number }>) =>
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
