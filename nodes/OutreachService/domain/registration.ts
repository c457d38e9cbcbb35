/** Webhooks as a trigger needs them, and as it has registered them. */
import type { Digest } from './secret';

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
	targetUrl: string;
	digest: Digest;
	/** The service at which it is registered, see `Client.serviceId`. */
	serviceId: string;
	evidence: Evidence;
};

/**
 * What shows that the service has a registered webhook. It decides what it means that a list does not show the webhook
 * (D82):
 *
 * - `stored`: it was registered before n8n last started the trigger, perhaps by another process. The webhook may be gone, or
 *   the list may be incomplete or late. So the webhook is replaced, and its removal tells which.
 * - `leaving`: as `stored`, but an earlier process may have removed it, because n8n had called `delete`. So it is gone if the
 *   list does not show it, and that is no loss.
 * - `created`: this process has created it, so it is not another process's replacement for an earlier one. Otherwise as
 *   `stored`.
 * - `listed`: a list has shown it, so it is gone now.
 * - `hidden`: the service had it, or the webhook that it has replaced, although the list showed neither. So the list proves
 *   nothing, and the webhook stays.
 */
export type Evidence = 'stored' | 'leaving' | 'created' | 'listed' | 'hidden';

/**
 * Whether two webhooks have the same target URL, secret and service. The secret is derived from the target URL and the API
 * key, and a credential with another Base URL may have the same key.
 */
export const isSameAtService = (
	{ digest, serviceId }: Pick<DesiredWebhook, 'digest' | 'serviceId'>,
	other: Pick<DesiredWebhook, 'digest' | 'serviceId'>,
): boolean => digest === other.digest && serviceId === other.serviceId;

/** Notes that a registered webhook no longer exists: a list that does not show it will be right. */
export const asGone = (webhook: RegisteredWebhook): RegisteredWebhook => ({
	...webhook,
	evidence: 'listed',
});
