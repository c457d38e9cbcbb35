/** How the checks of a node's webhooks have gone. Times are in milliseconds since 1970. */
export type Health = {
	/** When a check last found or made the webhooks complete; undefined: not since this process knows the node. */
	goodAt?: number | undefined;
	/** When the first of the checks began that have failed in a row since then. */
	failingSince?: number | undefined;
	/** How many have failed in a row. */
	failures: number;
	/** Whether the user has been told of these failures. */
	isReported: boolean;
	/** Events whose webhooks were created again since the webhooks were last complete. */
	restored: readonly string[];
};

/** What a check found. */
export type Checked = {
	/** Why the webhooks could not be checked, or not all be created; undefined when they are complete. */
	failure?: Error | undefined;
	/** Events whose webhooks it created again. */
	restored: readonly string[];
};

/** What the user is to be told after a check. */
export type Report =
	| { kind: 'failing'; since: number; goodAt: number | undefined; failure: Error }
	| { kind: 'restored'; events: readonly string[]; goodAt: number | undefined }
	| { kind: 'working'; since: number };

/** How many checks in a row have to fail before the user is told: a single one says little (D32). */
const FAILURES_TO_REPORT = 2;

/** The health of a node when it goes live in a process. What was restored then is reported by its next check. */
export const initialHealth = ({ failure, restored }: Checked, now: number): Health => ({
	goodAt: failure || restored.length > 0 ? undefined : now,
	failingSince: failure ? now : undefined,
	failures: failure ? 1 : 0,
	isReported: false,
	restored,
});

/**
 * What follows from a check. A row of failing checks is reported once, and what was created again once all webhooks are
 * complete (D32). Pure.
 */
export function afterCheck(
	health: Health,
	{ failure, restored }: Checked,
	now: number,
): { health: Health; report?: Report } {
	const all = [...new Set([...health.restored, ...restored])];
	const { goodAt, failingSince } = health;
	if (!failure) {
		const next: Health = { goodAt: now, failures: 0, isReported: false, restored: [] };
		if (all.length > 0) return { health: next, report: { kind: 'restored', events: all, goodAt } };
		if (failingSince === undefined) return { health: next };
		return { health: next, report: { kind: 'working', since: failingSince } };
	}
	const since = failingSince ?? now;
	const failures = health.failures + 1;
	const isDue = failures >= FAILURES_TO_REPORT && !health.isReported;
	const next: Health = {
		goodAt,
		failingSince: since,
		failures,
		isReported: health.isReported || isDue,
		restored: all,
	};
	return isDue
		? { health: next, report: { kind: 'failing', since, goodAt, failure } }
		: { health: next };
}
