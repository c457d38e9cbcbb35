import { isAccepted, type Attempt } from './send';

/** One event in one execution. */
export interface Run {
	/** As in the attempts to deliver it. */
	event: string;
	/** The ID of the execution. */
	execution: string;
	/** When n8n stored the execution, in milliseconds since 1970. */
	at: number;
	/** Whether the trigger has ended: otherwise n8n was killed before, and the event may run again. */
	isPassedOn: boolean;
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

/** An execution that n8n has lost. It explains that events were lost with it. */
export interface Loss<A> {
	/** How many events it can have held. */
	room: number;
	holds: (attempt: A) => boolean;
}

/** What may happen to an event, and why. */
export interface Allowed<A extends Attempt> {
	/**
	 * When n8n was down or starting: while starting, it responds to every request with 200 (D36). A restart also clears
	 * what the process remembers of duplicates, but not what the database does.
	 */
	downTimes?: readonly Period[];
	/** Default: all events are selected. */
	selected?: (attempt: A) => Selected;
	/**
	 * Where duplicates of an event are recognized, given the attempts to deliver it: in the process that receives them, in
	 * the database, or both. Default: in the process.
	 */
	memories?: (attempts: readonly A[]) => ReadonlyArray<'process' | 'database'>;
	/** Those that name their events come first. */
	losses?: ReadonlyArray<Loss<A>>;
	/** Whether an event may stay without a 2xx, and a forgery be refused for another reason. Default: no. */
	mayBeRefused?: boolean;
}

/** The number of 2xx responses, by reason. */
interface Reasons {
	ran: number;
	duplicate: number;
	'not selected': number;
	'n8n was starting': number;
}

export interface Verdict {
	/** A line for each event that was lost, refused or repeated, or that ran, without a reason. */
	problems: string[];
	reasons: Reasons;
	/** Accepted events that never ran, without a reason. */
	lost: string[];
	/** The number of those that a lost execution explains. */
	excused: number;
	/** Events that were passed on more than once, for whatever reason. */
	repeated: string[];
}

/**
 * Compares what was sent with what ran. Each event with a 2xx must have exactly one execution, and each further 2xx must
 * have one of the other reasons. A forged delivery must be refused with 401, and an authentic one must not be.
 */
export function judge<A extends Attempt>(
	attempts: readonly A[],
	runs: readonly Run[],
	{
		downTimes = [],
		selected = () => 'yes',
		memories = () => ['process'],
		losses = [],
		mayBeRefused = false,
	}: Allowed<A> = {},
): Verdict {
	const reasons: Reasons = { ran: 0, duplicate: 0, 'not selected': 0, 'n8n was starting': 0 };
	const missing: A[] = [];
	const problems: string[] = [];
	const repeated: string[] = [];
	const isUp = (attempt: A) => downTimes.every((down) => !overlaps(attempt, down));
	const runsOf = groupBy(runs, ({ event }) => event);
	const attemptsOf = groupBy(attempts, ({ event }) => event);

	for (const [event, tries] of attemptsOf) {
		const own = runsOf.get(event) ?? [];
		const accepted = tries.filter(isAccepted);
		const acknowledged = accepted.filter(isUp);
		reasons['n8n was starting'] += accepted.length - acknowledged.length;
		reasons.ran += Math.min(own.length, acknowledged.length);
		if (own.length > 0) reasons.duplicate += Math.max(0, acknowledged.length - own.length);
		else {
			const needed = acknowledged.filter((one) => !one.isForged && selected(one) === 'yes');
			reasons['not selected'] += acknowledged.length - needed.length;
			missing.push(...needed.slice(0, 1));
		}

		if (acknowledged.some(({ isForged }) => isForged)) {
			problems.push(`accepted although forged: ${event}`);
		} else if (!mayBeRefused && tries.some(({ isForged, status }) => isForged && status !== 401)) {
			problems.push(`not refused as forged: ${event}`);
		}
		if (tries.some(({ isForged, status }) => isForged === false && status === 401)) {
			problems.push(`rejected as forged: ${event}`);
		}
		const isAuthentic = tries.some(({ isForged }) => !isForged);
		if (isAuthentic && accepted.length === 0 && !mayBeRefused) {
			const statuses = [...new Set(tries.map(({ status }) => status ?? 'no response'))];
			problems.push(`never accepted: ${event} (${statuses.join(', ')})`);
		}
		const [first] = own;
		if (first === undefined) continue;
		if (!isAuthentic) problems.push(`ran although forged: ${describe(event, own)}`);
		else if (tries.every((attempt) => selected(attempt) === 'no')) {
			problems.push(`ran although not selected: ${describe(event, own)}`);
		} else if (tries.every(({ status }) => status === 401)) {
			problems.push(`ran although refused: ${describe(event, own)}`);
		}

		const passedOn = own.filter(({ isPassedOn }) => isPassedOn);
		if (passedOn.length > 1) repeated.push(event);
		const remembering = memories(tries);
		if (remembering.includes('process')) {
			for (const same of groupBy(own, ({ at }) => processOf(at, downTimes)).values()) {
				if (same.length > 1) problems.push(`ran ${same.length} times: ${describe(event, same)}`);
			}
		}
		if (remembering.includes('database') && passedOn.length > 1) {
			problems.push(`ran again in spite of the database: ${describe(event, passedOn)}`);
		}
	}
	for (const [event, own] of runsOf) {
		if (!attemptsOf.has(event)) {
			problems.push(`ran although never delivered: ${describe(event, own)}`);
		}
	}
	const lost = unexcused(missing, losses);
	problems.unshift(
		...lost.map(({ event, status }) => `lost: ${event} got status ${status}, but never ran`),
	);
	return {
		problems,
		reasons,
		lost: lost.map(({ event }) => event),
		excused: missing.length - lost.length,
		repeated,
	};
}

/** The events that no lost execution can hold. */
function unexcused<A>(missing: readonly A[], losses: ReadonlyArray<Loss<A>>): A[] {
	const left = losses.map((loss) => ({ ...loss }));
	return missing.filter((attempt) => {
		const loss = left.find(({ room, holds }) => room > 0 && holds(attempt));
		if (loss !== undefined) loss.room -= 1;
		return loss === undefined;
	});
}

const describe = (event: string, runs: readonly Run[]) =>
	`${event} (executions ${runs.map(({ execution }) => execution).join(', ')})`;

/** The number of the n8n process, counted over restarts, that was running at a time. */
const processOf = (at: number, downTimes: readonly Period[]) =>
	downTimes.filter(({ from }) => from <= at).length;

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
	const groups = new Map<Key, Item[]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group === undefined) groups.set(keyOf(item), [item]);
		else group.push(item);
	}
	return groups;
}
