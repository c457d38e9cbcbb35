/** Webhooks as a trigger needs them, and as it has registered them. */
import type { Digest } from './secret';
import type { WebhookSettings } from './webhook';

/**
 * A webhook that a trigger needs at the service, and the digest of the secret that the current API key gives it. The query
 * of its target URL contains all other settings, too: see `targetUrlOf`.
 */
export type DesiredWebhook = WebhookSettings & { digest: Digest };

/**
 * A webhook that a trigger has registered. Only the digest of its secret is kept, because n8n's static data can be read in
 * the editor (D67). The secret is derived from target URL and API key, so a digest is the same only if all settings are.
 */
export type RegisteredWebhook = {
	id: string;
	event: string;
	targetUrl: string;
	digest: Digest;
	evidence: Evidence;
};

/**
 * What this process knows of a registered webhook, and so what it means if a list does not show the webhook (D82):
 *
 * - `stored`: an earlier process has registered it, or it was registered before n8n started the trigger anew. It is gone, or the list is incomplete or late: it is replaced, and its
 *   removal tells which.
 * - `created`: this process has created it. Likewise; but no other process has made it in place of another webhook.
 * - `listed`: a list has shown it. It is gone.
 * - `hidden`: the service had it, or the one that it has replaced, although the list did not show it. So the list proves
 *   nothing, and the webhook stays: otherwise, each check would create one more.
 */
export type Evidence = 'stored' | 'created' | 'listed' | 'hidden';

/** The webhooks of a trigger node, and the service at which they are registered. */
export type Registration = {
	webhooks: readonly RegisteredWebhook[];
	/** See `Client.serviceId`; undefined until it is known. */
	service: string | undefined;
};
