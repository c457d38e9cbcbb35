import type { SealedSecret } from '../store/secretBox';

/** The fields of a hook that a client chooses (§4.2). */
export interface HookFields {
	targetUrl: string;
	/** Absent: all events. */
	type?: string | undefined;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
	toolLinkId?: number | undefined;
	secret?: string | undefined;
}

/** A hook as the service keeps it; the secret is sealed (§6.4.2). */
export interface StoredHook {
	readonly id: string;
	readonly team: string;
	readonly targetUrl: string;
	readonly type: string | undefined;
	readonly campaignId: string | undefined;
	readonly isFirst: boolean | undefined;
	readonly toolLinkId: number | undefined;
	/** ISO 8601, UTC. */
	readonly createdAt: string;
	readonly secret: SealedSecret | undefined;
	disabled: boolean;
	/** Deliveries in a row that ended in failure. */
	failures: number;
}

/** §2.1: a hook as the interface shows it. `disabled` is there only when the service has switched the hook off. */
export interface PublicHook {
	_id: string;
	targetUrl: string;
	type?: string;
	campaignId?: string;
	createdAt: string;
	toolLinkId?: number;
	isFirst?: boolean;
	disabled?: true;
}

/** A hook as tests and the control page see it: still without the secret (§6.4.3). */
export interface HookView extends Omit<PublicHook, 'disabled'> {
	team: string;
	hasSecret: boolean;
	disabled: boolean;
}

/** §2.1: optional fields are absent when not set, and the secret always is. */
export function toPublicHook(hook: StoredHook): PublicHook {
	return {
		_id: hook.id,
		targetUrl: hook.targetUrl,
		...(hook.type !== undefined && { type: hook.type }),
		...(hook.campaignId !== undefined && { campaignId: hook.campaignId }),
		createdAt: hook.createdAt,
		...(hook.toolLinkId !== undefined && { toolLinkId: hook.toolLinkId }),
		...(hook.isFirst !== undefined && { isFirst: hook.isFirst }),
		...(hook.disabled && { disabled: true }),
	};
}

/** The public fields, and what only the service's own side may know: the team, whether there is a secret. */
export function toHookView(hook: StoredHook): HookView {
	return {
		...toPublicHook(hook),
		team: hook.team,
		hasSecret: hook.secret !== undefined,
		disabled: hook.disabled,
	};
}
