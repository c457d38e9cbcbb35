/** Webhooks as a trigger needs them, and as it has registered them. */
import type { Digest } from './secret';
import type { Webhook } from './webhook';

/** A webhook that a trigger needs. The query of its target URL contains all other settings, too: see `targetUrlOf`. */
export type DesiredWebhook = {
	event: string;
	targetUrl: string;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
	/** The digest of the secret that the current API key gives it. */
	digest: Digest;
	/** The service that the credential names now, see `Client.serviceId`. */
	serviceId: string;
};

/**
 * A webhook that a trigger has registered. Only the digest of its secret is kept, because n8n's static data can be read in
 * the editor (D67). The secret is derived from target URL and API key, so a digest is the same only if all settings are.
 */
export type RegisteredWebhook = {
	id: string;
	event: string;
	/** As `targetUrlOf` writes it, as in a desired webhook. A list may have another spelling (D29). */
	targetUrl: string;
	digest: Digest;
	/** The service at which it is registered, see `Client.serviceId`. */
	serviceId: string;
	evidence: Evidence;
};

/**
 * What this process knows of a registered webhook. A list may be incomplete or late, so this decides what it means if a list does
 * not show the webhook (D82):
 *
 * - `certain`: a change has found it listed as desired, or it was removed. If it is not listed, it is gone.
 * - `created`: this process has created it, and no later change has found it listed as desired yet. If it is not listed, it may
 *   exist all the same. So it is replaced, and its removal tells.
 * - `stored`: it was registered before n8n last started the trigger, perhaps by another process. The same applies as for
 *   `created`, but it may be a replacement (see `mayBeReplacement`).
 * - `leaving`: the same as `stored`, but n8n had called `delete` by then. If it is not listed, it is taken for one that
 *   an earlier process has removed, which is no loss.
 * - `replaced`: another webhook serves in its place, and its loss, if there was one, was reported. It is only to be removed: if it is
 *   not listed, it is gone, which is no loss.
 * - `hidden`: the service had it, or the webhook that it has replaced, although the list showed neither. That it is not listed
 *   proves nothing, and it stays.
 */
export type Evidence = 'stored' | 'created' | 'leaving' | 'certain' | 'replaced' | 'hidden';

/**
 * Whether two webhooks have the same target URL, secret and service. The secret is derived from the target URL and the API
 * key, and a credential with another Base URL may have the same key.
 */
export const isSameAtService = (
	{ digest, serviceId }: Pick<DesiredWebhook, 'digest' | 'serviceId'>,
	other: Pick<DesiredWebhook, 'digest' | 'serviceId'>,
): boolean => digest === other.digest && serviceId === other.serviceId;

/** A registered webhook as a list would show it, with the fields that are known of it. */
export const asListed = ({ id, targetUrl }: RegisteredWebhook): Webhook => ({ _id: id, targetUrl });

/** A webhook that a list has just shown, or that was just removed. */
export const asCertain = (webhook: RegisteredWebhook): RegisteredWebhook => ({
	...webhook,
	evidence: 'certain',
});

export const isCertain = ({ evidence }: RegisteredWebhook): boolean => evidence === 'certain';

/** A webhook that the service has confirmed, or whose predecessor it has confirmed, although the list did not show that one. */
export const asHidden = (webhook: RegisteredWebhook): RegisteredWebhook => ({
	...webhook,
	evidence: 'hidden',
});

export const isHidden = ({ evidence }: RegisteredWebhook): boolean => evidence === 'hidden';

/** A webhook that is listed, and whose desired webhook is served by another one now. */
export const asReplaced = (webhook: RegisteredWebhook): RegisteredWebhook => ({
	...webhook,
	evidence: 'replaced',
});

export const isReplaced = ({ evidence }: RegisteredWebhook): boolean => evidence === 'replaced';

/** A webhook of a node that is about to be deactivated. */
export const asLeaving = (webhook: RegisteredWebhook): RegisteredWebhook => ({
	...webhook,
	evidence: 'leaving',
});

export const isLeaving = ({ evidence }: RegisteredWebhook): boolean => evidence === 'leaving';

/**
 * A webhook of a node that is active again. A `leaving` webhook that vanishes counts as removed by us; from now on, it counts as
 * lost.
 */
export const asActiveAgain = (webhook: RegisteredWebhook): RegisteredWebhook =>
	isLeaving(webhook) ? { ...webhook, evidence: 'stored' } : webhook;

/**
 * Whether a webhook may have been made in place of an earlier one whose events were not lost: by another process, or because the
 * list had hidden the earlier one. Not if the evidence says that this process has made it, or has found it listed.
 */
export const mayBeReplacement = ({ evidence }: RegisteredWebhook): boolean =>
	evidence !== 'created' && evidence !== 'certain';

/** A registered webhook at a start. What this process alone has seen no longer counts, because another one may have replaced it. */
export const asStored = (webhook: RegisteredWebhook): RegisteredWebhook =>
	mayBeReplacement(webhook) ? webhook : { ...webhook, evidence: 'stored' };
