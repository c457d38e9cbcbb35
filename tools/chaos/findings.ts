import type { Reasons } from './conservation';
import { ACTIVITY_TYPES, STATE_GROUP } from './events';

/** A history that failed. */
export interface Failure {
	/** What repeats it. */
	seed: number;
	path: string;
	replayPath: string;
	/** A line for each step that was carried out; of the shortest failing history that was found. */
	history: string[];
	error: unknown;
}

export interface Findings {
	steps: number;
	histories: number;
	/** How often each kind of step came. */
	kinds: ReadonlyMap<string, number>;
	/** How many deliveries got a 2xx, by reason; of histories that did not fail. */
	reasons: ReadonlyMap<keyof Reasons, number>;
	failures: Failure[];
}

export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** What is the same in messages about the same mistake, whenever it was noticed: without IDs, addresses and types. */
function kindOfFailure(error: unknown): string {
	const lines = messageOf(error)
		.replaceAll(/https?:\/\/[^\s)]*/g, '<address>')
		.replaceAll(/\b(hoo|act|cam|lea|tea)_\w+/g, '$1_…')
		.replaceAll(/executions [\d, ]+/g, 'executions …')
		.replaceAll(new RegExp(`\\b(${[...ACTIVITY_TYPES, STATE_GROUP].join('|')})\\b`, 'g'), '<type>')
		.replaceAll(/\((<type>|all events)[^()]*\)/g, '(…)')
		.split('\n')
		.map((line) => line.trim());
	const [only, ...details] = lines;
	return [...new Set(details.length > 0 ? details : [only])].sort().slice(0, 6).join(' | ');
}

/** The failures, those with the same kind of message together, the most frequent first. */
export function distinct(
	failures: readonly Failure[],
): Array<{ kind: string; failures: Failure[] }> {
	const groups = new Map<string, Failure[]>();
	for (const failure of failures) {
		const kind = kindOfFailure(failure.error);
		groups.set(kind, [...(groups.get(kind) ?? []), failure]);
	}
	return [...groups]
		.map(([kind, failures]) => ({ kind, failures }))
		.sort((one, other) => other.failures.length - one.failures.length);
}

/** How to carry out the same history again. */
export const commandFor = ({ seed, path, replayPath }: Failure): string =>
	`npm run test:chaos -- --seed ${seed} --path '${path}' --replay-path '${replayPath}'`;

/** The lines that tell of a failed history. */
export function tellFailure(failure: Failure): string[] {
	return [
		...failure.history.map((step, place) => `  ${place + 1}. ${step}`),
		messageOf(failure.error),
		`Again: ${commandFor(failure)}`,
	];
}
