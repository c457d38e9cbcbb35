/** The webhooks of every team (§2.1), and those of the past, for a service whose list is old. */
import { addTo, makeId } from '../support';

/** The fields of a webhook that a client sets (§4.2). */
export interface HookFields {
	targetUrl: string;
	/** Absent for all events. */
	type?: string | undefined;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
	toolLinkId?: number | undefined;
	secret?: string | undefined;
}

/** A webhook as the service stores it. */
export interface StoredHook extends Readonly<HookFields> {
	readonly id: string;
	readonly team: string;
	/** ISO 8601, UTC. */
	readonly createdAt: string;
	readonly disabled: boolean;
}

/**
 * A webhook as the API returns it (§2.1), never with its secret. What is undefined is not in the JSON; `disabled` is only if
 * the service has disabled the webhook.
 */
export const toPublicHook = (hook: StoredHook) => {
	const { id, targetUrl, type, campaignId, createdAt, toolLinkId, isFirst, disabled } = hook;
	const fields = { targetUrl, type, campaignId, createdAt, toolLinkId, isFirst };
	return { _id: id, ...fields, disabled: disabled || undefined };
};

/** A webhook as tests and the control API see it, with what the API does not return: its team, and whether it has a secret. */
export const toHookView = (hook: StoredHook) => ({
	...toPublicHook(hook),
	team: hook.team,
	hasSecret: hook.secret !== undefined,
	disabled: hook.disabled,
});

export type HookView = ReturnType<typeof toHookView>;

/** A webhook, and when it existed, on the clock of the process. */
interface Lifetime {
	hook: StoredHook;
	readonly from: number;
	/** Undefined while it exists. */
	to?: number;
}

/** How many webhooks of the past are remembered. */
const PAST_HOOKS = 20_000;

/** The webhooks, in the order in which they were created. */
export class HookStore {
	private readonly present = new Map<string, Lifetime>();
	private readonly past: Lifetime[] = [];
	private readonly listeners = new Set<() => void>();

	/** Calls the listener after each change. @returns a function that removes it. */
	onChange(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Creates a webhook. An empty secret or campaign counts as absent. */
	add(team: string, { secret, campaignId, ...fields }: HookFields): StoredHook {
		const hook: StoredHook = {
			...fields,
			secret: secret === '' ? undefined : secret,
			campaignId: campaignId === '' ? undefined : campaignId,
			id: makeId('hoo_'),
			team,
			createdAt: new Date().toISOString(),
			disabled: false,
		};
		this.present.set(hook.id, { hook, from: performance.now() });
		this.changed();
		return hook;
	}

	/** Changes a webhook, which keeps its ID. */
	update(id: string, changes: Partial<StoredHook>): StoredHook | undefined {
		const lifetime = this.present.get(id);
		if (!lifetime) return undefined;
		lifetime.hook = { ...lifetime.hook, ...changes };
		this.changed();
		return lifetime.hook;
	}

	get(id: string): StoredHook | undefined {
		return this.present.get(id)?.hook;
	}

	/** The webhooks of one team, or of all teams, as they were some time ago. */
	list(team?: string, agoMs = 0): StoredHook[] {
		const at = performance.now() - agoMs;
		const wasThere = ({ from, to = Number.POSITIVE_INFINITY }: Lifetime) => from <= at && at < to;
		const present = [...this.present.values()];
		const listed =
			agoMs === 0
				? present
				: [...this.past, ...present].filter(wasThere).sort((a, b) => a.from - b.from);
		return listed
			.map(({ hook }) => hook)
			.filter((hook) => team === undefined || hook.team === team);
	}

	/** Removes a webhook of `team`, or of any team. @returns what was removed */
	remove(id: string, team?: string): StoredHook | undefined {
		const lifetime = this.present.get(id);
		if (!lifetime || (team !== undefined && lifetime.hook.team !== team)) return undefined;
		this.present.delete(id);
		addTo(this.past, { ...lifetime, to: performance.now() }, PAST_HOOKS);
		this.changed();
		return lifetime.hook;
	}

	private changed(): void {
		for (const listener of this.listeners) listener();
	}
}
