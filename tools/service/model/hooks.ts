import { makeId } from '../support';

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
	disabled: boolean;
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

/** A webhook at a time at which it existed, with the time at which it was removed. */
interface PastHook {
	readonly hook: StoredHook;
	readonly createdAtMs: number;
	removedAtMs: number;
}

/** How many webhooks of the past are remembered, for lists that are old. */
const PAST_HOOKS = 20_000;

/** The webhooks of every team, in the order in which they were created. */
export class HookStore {
	private readonly byId = new Map<string, StoredHook>();
	private past: PastHook[] = [];
	private readonly listeners = new Set<() => void>();

	/** Calls the listener after each change. @returns a function that removes it. */
	onChange(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Creates a webhook (§2.1). An empty secret or campaign counts as absent. */
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
		this.byId.set(hook.id, hook);
		this.past = this.past.slice(-PAST_HOOKS);
		this.past.push({ hook, createdAtMs: performance.now(), removedAtMs: Infinity });
		this.changed();
		return hook;
	}

	/** Gives a webhook new fields, and keeps its ID (§2.1). */
	update(id: string, fields: HookFields): StoredHook | undefined {
		const hook = this.get(id);
		if (!hook) return undefined;
		const updated = { ...hook, ...fields };
		this.byId.set(id, updated);
		const past = this.past.find((one) => one.hook.id === id && one.removedAtMs === Infinity);
		if (past) Object.assign(past, { hook: updated });
		this.changed();
		return updated;
	}

	/** Finds a webhook of `team`, or of any team. */
	get(id: string, team?: string): StoredHook | undefined {
		const hook = this.byId.get(id);
		return team === undefined || hook?.team === team ? hook : undefined;
	}

	/** The webhooks of one team, or of all teams. */
	list(team?: string): StoredHook[] {
		const all = [...this.byId.values()];
		return team === undefined ? all : all.filter((hook) => hook.team === team);
	}

	/** The webhooks of one team as they were some time ago. */
	listBefore(team: string, agoMs: number): StoredHook[] {
		const at = performance.now() - agoMs;
		return this.past
			.filter(({ createdAtMs, removedAtMs }) => createdAtMs <= at && removedAtMs > at)
			.map(({ hook }) => hook)
			.filter((hook) => hook.team === team);
	}

	/** @returns what was removed */
	remove(id: string, team?: string): StoredHook | undefined {
		const hook = this.get(id, team);
		this.byId.delete(hook?.id ?? '');
		for (const one of this.past) {
			if (one.hook.id === hook?.id && one.removedAtMs === Infinity) {
				one.removedAtMs = performance.now();
			}
		}
		this.changed();
		return hook;
	}

	disable(id: string): StoredHook | undefined {
		const hook = this.get(id);
		if (hook) hook.disabled = true;
		this.changed();
		return hook;
	}

	private changed(): void {
		for (const listener of this.listeners) listener();
	}
}
