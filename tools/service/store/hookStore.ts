import type { HookFields, StoredHook } from '../model/hook';
import { makeId } from '../support/ids';
import { SecretBox } from './secretBox';

/** The webhooks of every team, in the order in which they were created. */
export class HookStore {
	private readonly byId = new Map<string, StoredHook>();
	private readonly byTeam = new Map<string, Set<StoredHook>>();
	private readonly box = new SecretBox();

	private readonly listeners = new Set<() => void>();

	/** Calls the listener after each change. @returns a function that removes it. */
	onChange(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Creates a webhook (§2.1). An empty secret or campaign counts as absent. */
	add(team: string, fields: HookFields): StoredHook {
		const hook: StoredHook = {
			id: makeId('hoo_'),
			team,
			targetUrl: fields.targetUrl,
			type: fields.type,
			campaignId: fields.campaignId === '' ? undefined : fields.campaignId,
			isFirst: fields.isFirst,
			toolLinkId: fields.toolLinkId,
			createdAt: new Date().toISOString(),
			secret: fields.secret ? this.box.seal(fields.secret) : undefined,
			disabled: false,
		};
		this.byId.set(hook.id, hook);
		const hooksOfTeam = this.byTeam.get(team) ?? new Set();
		this.byTeam.set(team, hooksOfTeam.add(hook));
		this.changed();
		return hook;
	}

	/** Finds a webhook of `team`, or of any team. */
	get(id: string, team?: string): StoredHook | undefined {
		const hook = this.byId.get(id);
		return team === undefined || hook?.team === team ? hook : undefined;
	}

	/** The webhooks of one team, or of all teams. */
	list(team?: string): StoredHook[] {
		return [...(team === undefined ? this.byId.values() : (this.byTeam.get(team) ?? []))];
	}

	count(team: string): number {
		return this.byTeam.get(team)?.size ?? 0;
	}

	remove(hook: StoredHook): void {
		this.byId.delete(hook.id);
		this.byTeam.get(hook.team)?.delete(hook);
		this.changed();
	}

	disable(hook: StoredHook): void {
		hook.disabled = true;
		this.changed();
	}

	/** The secret in plain text, for deliveries only (§6.4.5): nothing else may carry it. */
	secretOf(hook: StoredHook): string | undefined {
		return hook.secret && this.box.open(hook.secret);
	}

	private changed(): void {
		for (const listener of this.listeners) listener();
	}
}
