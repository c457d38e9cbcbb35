import { isAccepted, type Attempt } from './send';

/** One event in one execution. */
export interface Run {
	/** As in the attempts to deliver it. */
	event: string;
	/** The ID of the execution. */
	execution: string;
	/** When n8n stored the execution, in milliseconds since 1970. */
	at: number;
}

/** A period in milliseconds since 1970. */
export interface Period {
	from: number;
	until: number;
}

export const overlaps = (one: Period, other: Period): boolean =>
	one.from <= other.until && other.from <= one.until;

/** Whether the trigger's settings at that time select the event; `maybe` while they were changing. */
export type Selected = 'yes' | 'no' | 'maybe';

/** An execution that n8n has lost: whether it can have been that of an event. */
export type Loss<A> = (attempt: A) => boolean;

/** What may happen to an event, and why. */
export interface Allowed<A extends Attempt> {
	/**
	 * When n8n was down or starting: while starting, it responds to every request with 200 (D36). A restart also clears
	 * what the process remembers of duplicates.
	 */
	downTimes?: readonly Period[];
	/** Default: all events are selected. */
	selected?: (attempt: A) => Selected;
	/** Each explains that one event was lost. */
	losses?: ReadonlyArray<Loss<A>>;
	/** Whether an event may stay without a 2xx, and a forgery be refused for another reason. Default: no. */
	mayBeRefused?: boolean;
	/** Whether an event may run again. Default: only after a restart. */
	mayRepeat?: boolean;
}

export interface Verdict {
	/** A line for each event that was lost, refused or repeated, or that ran, without a reason. */
	problems: string[];
	/** Accepted events that never ran, without a reason. */
	lost: string[];
	/** Events that ran more than once, for whatever reason. */
	repeated: string[];
}

/**
 * Compares what was sent with what ran. Each event with a 2xx must have exactly one execution. A forged delivery must be
 * refused with 401, and an authentic one must not be.
 */
export function judge<A extends Attempt>(
	attempts: readonly A[],
	runs: readonly Run[],
	{
		downTimes = [],
		selected = () => 'yes',
		losses = [],
		mayBeRefused = false,
		mayRepeat = false,
	}: Allowed<A> = {},
): Verdict {
	const verdict: Verdict = { problems: [], lost: [], repeated: [] };
	const { problems, lost, repeated } = verdict;
	const unused = [...losses];
	const runsOf = groupBy(runs, ({ event }) => event);
	const attemptsOf = groupBy(attempts, ({ event }) => event);
	const isAcknowledged = (attempt: A) =>
		isAccepted(attempt) && downTimes.every((down) => !overlaps(attempt, down));
	/** The number of the n8n process, counted over restarts, that was running at a time. */
	const processOf = ({ at }: Run) => downTimes.filter(({ from }) => from <= at).length;

	const judgeResponses = (event: string, tries: readonly A[]): void => {
		const forged = tries.filter(({ isForged }) => isForged);
		const authentic = tries.filter(({ isForged }) => !isForged);
		if (forged.some(isAcknowledged)) problems.push(`accepted although forged: ${event}`);
		else if (!mayBeRefused && forged.some(({ status }) => status !== 401)) {
			problems.push(`not refused as forged: ${event}`);
		}
		if (authentic.some(({ isForged, status }) => isForged === false && status === 401)) {
			problems.push(`rejected as forged: ${event}`);
		}
		if (!mayBeRefused && authentic.length > 0 && !authentic.some(isAccepted)) {
			const statuses = new Set(authentic.map(({ status }) => status ?? 'no response'));
			problems.push(`never accepted: ${event} (${[...statuses].join(', ')})`);
		}
	};
	const judgeMissing = (event: string, tries: readonly A[]): void => {
		const needed = tries.find(
			(one) => !one.isForged && isAcknowledged(one) && selected(one) === 'yes',
		);
		if (needed === undefined) return;
		const explained = unused.findIndex((isOf) => isOf(needed));
		if (explained !== -1) {
			unused.splice(explained, 1);
			return;
		}
		lost.push(event);
		problems.push(`lost: ${event} got status ${needed.status}, but never ran`);
	};
	const whyNotToRun = (tries: readonly A[]): string | undefined => {
		if (tries.length === 0) return 'never delivered';
		if (tries.every(({ isForged }) => isForged)) return 'forged';
		if (tries.every((attempt) => selected(attempt) === 'no')) return 'not selected';
		if (tries.every(({ status }) => status === 401)) return 'refused';
		return undefined;
	};
	const judgeRuns = (event: string, tries: readonly A[], own: readonly Run[]): void => {
		const reason = whyNotToRun(tries);
		if (reason !== undefined) problems.push(`ran although ${reason}: ${describe(event, own)}`);
		if (own.length > 1) repeated.push(event);
		if (mayRepeat) return;
		for (const same of groupBy(own, processOf).values()) {
			if (same.length > 1) problems.push(`ran ${same.length} times: ${describe(event, same)}`);
		}
	};

	for (const event of new Set([...attemptsOf.keys(), ...runsOf.keys()])) {
		const tries = attemptsOf.get(event) ?? [];
		const own = runsOf.get(event) ?? [];
		judgeResponses(event, tries);
		if (own.length > 0) judgeRuns(event, tries, own);
		else judgeMissing(event, tries);
	}
	return verdict;
}

const describe = (event: string, runs: readonly Run[]) =>
	`${event} (executions ${runs.map(({ execution }) => execution).join(', ')})`;

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
	const groups = new Map<Key, Item[]>();
	for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
	return groups;
}
