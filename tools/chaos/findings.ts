import type { Reasons } from './conservation';
import { ACTIVITY_TYPES, LEAD_STATE } from './events';

/** A history that failed. */
export interface Failure {
	/** `seed`, `path` and `replayPath` reproduce the failure. */
	seed: number;
	path: string;
	replayPath: string;
	/** A line for each step of the shortest failing history. */
	history: string[];
	error: unknown;
}

export interface Findings {
	steps: number;
	histories: number;
	/** The number of steps of each kind. */
	kinds: ReadonlyMap<string, number>;
	/** The number of deliveries with a 2xx, by reason, in histories that passed. */
	reasons: ReadonlyMap<keyof Reasons, number>;
	failures: Failure[];
}

export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** A key that is the same for messages about the same bug: the message without IDs, URLs and types. */
function kindOfFailure(error: unknown): string {
	const lines = messageOf(error)
		.replaceAll(/https?:\/\/[^\s)]*/g, '<url>')
		.replaceAll(/\b(hoo|act|cam|lea|tea)_\w+/g, '$1_…')
		.replaceAll(/executions [\d, ]+/g, 'executions …')
		.replaceAll(new RegExp(`\\b(${[...ACTIVITY_TYPES, LEAD_STATE].join('|')})\\b`, 'g'), '<type>')
		.replaceAll(/\((<type>|all events)[^()]*\)/g, '(…)')
		.split('\n')
		.map((line) => line.trim());
	const [only, ...details] = lines;
	return [...new Set(details.length > 0 ? details : [only])].sort().slice(0, 6).join(' | ');
}

/** The failures grouped by kind of message, most frequent first. */
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

/** The command that runs the same history again. */
export const commandFor = ({ seed, path, replayPath }: Failure): string =>
	`npm run test:chaos -- --seed ${seed} --path '${path}' --replay-path '${replayPath}'`;

/** The lines that describe a failed history. */
export function describeFailure(failure: Failure): string[] {
	return [
		...failure.history.map((step, index) => `  ${index + 1}. ${step}`),
		messageOf(failure.error),
		`To reproduce: ${commandFor(failure)}`,
	];
}
