import type { Run, Runs, UnreadableRun } from './runs';
import { MAX_IN_BATCH } from './triggerSettings';

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

/** A period in milliseconds since 1970. */
export interface Period {
	from: number;
	until: number;
}

export const overlaps = (one: Period, other: Period): boolean =>
	one.from <= other.until && other.from <= one.until;

/** What the user had set when an event was delivered. */
export interface SettingsThen {
	selected: (attempt: Attempt) => Selected;
	/** Whether the trigger at this URL kept its duplicates in the database during the whole period. */
	isRecorded: (webhookUrl: string, period: Period) => boolean;
}

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
 *   restart also clears what the process remembers for deduplication, but not what the database does.
 */
export function conservation(
	attempts: readonly Attempt[],
	{ runs, unreadable }: Runs,
	downTimes: readonly Period[],
	{ selected, isRecorded }: SettingsThen,
): Conservation {
	const reasons: Reasons = { ran: 0, duplicate: 0, 'not selected': 0, 'n8n was starting': 0 };
	const lost: Attempt[] = [];
	const problems: string[] = [];
	const runsOf = groupBy(runs, keyOf);
	const attemptsOf = groupBy(attempts, keyOf);

	for (const [key, tries] of attemptsOf) {
		const own = runsOf.get(key) ?? [];
		const accepted = tries.filter(({ status = 0 }) => status >= 200 && status <= 299);
		const acknowledged = accepted.filter((attempt) =>
			downTimes.every((down) => !overlaps(attempt, down)),
		);
		reasons['n8n was starting'] += accepted.length - acknowledged.length;
		reasons.ran += Math.min(own.length, acknowledged.length);
		if (own.length > 0) reasons.duplicate += Math.max(0, acknowledged.length - own.length);
		else {
			const needed = acknowledged.filter((attempt) => selected(attempt) === 'yes');
			reasons['not selected'] += acknowledged.length - needed.length;
			const [first] = needed;
			if (first) lost.push(first);
		}
		for (const copies of groupBy(own, ({ at }) => processOf(at, downTimes)).values()) {
			if (copies.length < 2) continue;
			const executions = copies.map(({ execution }) => execution).join(', ');
			problems.push(
				`ran ${copies.length} times: ${describe(copies[0])} (executions ${executions})`,
			);
		}
		const passedOn = own.filter(({ isPassedOn }) => isPassedOn);
		const [one] = tries;
		if (passedOn.length > 1 && one && isRecorded(one.webhookUrl, spanOf(tries))) {
			const executions = passedOn.map(({ execution }) => execution).join(', ');
			problems.push(`ran again after a restart: ${describe(one)} (executions ${executions})`);
		}
		if (own[0] && tries.every((attempt) => selected(attempt) === 'no')) {
			problems.push(`ran although not selected: ${describe(own[0])}`);
		}
	}
	for (const [key, [run]] of runsOf) {
		if (!attemptsOf.has(key)) problems.push(`ran although never delivered: ${describe(run)}`);
	}
	return { problems: [...unexcused(lost, unreadable).map(describeLost), ...problems], reasons };
}

/** How long after a delivery its execution may have been stored, by two clocks. */
const CLOCKS_MS = 50;

/**
 * The lost events that no unreadable execution can hold: one of the same trigger's workflow, stored during the delivery,
 * which holds one batch at most.
 */
function unexcused(lost: readonly Attempt[], unreadable: readonly UnreadableRun[]): Attempt[] {
	const room = unreadable.map((run) => ({ ...run, events: MAX_IN_BATCH }));
	return lost.filter(({ webhookUrl, from, until }) => {
		const run = room.find(
			({ webhookUrls, at, events }) =>
				events > 0 &&
				webhookUrls.includes(webhookUrl) &&
				overlaps({ from: at, until: at }, { from: from - CLOCKS_MS, until: until + CLOCKS_MS }),
		);
		if (run !== undefined) run.events -= 1;
		return run === undefined;
	});
}

const describeLost = (attempt: Attempt) =>
	`lost: ${describe(attempt)} got status ${attempt.status}, but never ran`;

/** From the start of the first delivery to the end of the last. */
const spanOf = (attempts: readonly Attempt[]): Period => ({
	from: Math.min(...attempts.map(({ from }) => from)),
	until: Math.max(...attempts.map(({ until }) => until)),
});

type Event = Pick<Run, 'webhookUrl' | 'subscription' | 'type' | 'id'>;

/** What identifies an event: it runs once. */
export const keyOf = ({ webhookUrl, subscription, type, id }: Event) =>
	[webhookUrl, subscription, type, id].join('\n');

const describe = (event: Event | undefined) =>
	event === undefined
		? ''
		: `${event.type} ${event.id} at ${event.webhookUrl}?event=${event.subscription}`;

/** The number of the n8n process, counted over restarts, that was running at a time. */
const processOf = (at: number, downTimes: readonly Period[]) =>
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
