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
 * What this process knows of a registered webhook. A list may be incomplete or late, and this decides what it means if a list
 * does not show the webhook (D82):
 *
 * - `stored`: it was registered before n8n last started the trigger, perhaps by another process. Nothing tells whether it still
 *   exists. So it is replaced, and its removal tells.
 * - `created`: as `stored`, but this process has created it. So no other process has made it in place of an earlier one.
 * - `leaving`: as `stored`, but n8n had called `delete`, and an earlier process may have removed it. So it is gone, and that is
 *   no loss.
 * - `certain`: a list has shown it, or it was removed. So a list that does not show it is right: it is gone.
 * - `hidden`: the service had it, or the webhook that it has replaced, although the list showed neither. So the list proves
 *   nothing, and the webhook stays.
 */
export type Evidence = 'stored' | 'created' | 'leaving' | 'certain' | 'hidden';

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

/** A registered webhook of which it is certain that it no longer exists. */
export const asGone = (webhook: RegisteredWebhook): RegisteredWebhook => ({
	...webhook,
	evidence: 'certain',
});

/** A registered webhook at a start. What this process has seen of it no longer counts, because another one may have replaced it. */
export const asStored = (webhook: RegisteredWebhook): RegisteredWebhook =>
	webhook.evidence === 'created' || webhook.evidence === 'certain'
		? { ...webhook, evidence: 'stored' }
		: webhook;
