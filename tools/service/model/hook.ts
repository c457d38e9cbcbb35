import type { SealedSecret } from '../store/secretBox';

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

/** A webhook as the service stores it, with its secret encrypted (§6.4.2). */
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
}

/** A webhook as the API returns it (§2.1). `disabled` is present only if the service has disabled the webhook. */
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

/** A webhook as tests and the control API see it, also without its secret (§6.4.3). */
export interface HookView extends Omit<PublicHook, 'disabled'> {
	team: string;
	hasSecret: boolean;
	disabled: boolean;
}

/** Omits optional fields that aren't set, and always the secret (§2.1). */
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

/** Adds the fields that the API doesn't return: the team, and whether there is a secret. */
export function toHookView(hook: StoredHook): HookView {
	return {
		...toPublicHook(hook),
		team: hook.team,
		hasSecret: hook.secret !== undefined,
		disabled: hook.disabled,
	};
}
