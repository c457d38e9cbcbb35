/** Webhooks as a trigger needs them, and as it has registered them. */
import { z } from 'zod';

import { digestSchema, type Digest } from './secret';
import type { WebhookSettings } from './webhook';

/**
 * A webhook that a trigger needs at the service, and the digest of the secret that the current API key gives it. The query
 * of its target URL contains all other settings, too: see `targetUrlOf`.
 */
export type DesiredWebhook = WebhookSettings & { digest: Digest };

/**
 * A webhook that a trigger has registered, as n8n's static data keeps it. Only the digest of its secret is kept, because
 * static data can be read in the editor (D67). The secret is derived from target URL and API key, so a digest is the same
 * only if all settings are.
 */
export const registeredWebhookSchema = z.object({
	id: z.string(),
	event: z.string(),
	targetUrl: z.string(),
	digest: digestSchema,
	/**
	 * Set if the list has been wrong about this webhook before: it did not show the webhook, or the one that this webhook has
	 * replaced, although the service had it. So if the list does not show this webhook either, that does not mean that it is
	 * gone. It stays and is not replaced again, because otherwise each check would create one more (D82).
	 */
	isSecond: z.literal(true).optional(),
});

/** A webhook that a trigger has registered. */
export type RegisteredWebhook = z.infer<typeof registeredWebhookSchema> & {
	/** Whether a list has shown it in this process: if the list no longer does, the webhook is gone (D82). Not stored. */
	wasListed?: boolean;
	/** Whether this process has created it, so that no other main process has made it in place of an earlier one. Not stored. */
	isCreatedHere?: boolean;
};

/** The webhooks of a trigger node, and the service at which they are registered. */
export type Registration = {
	webhooks: readonly RegisteredWebhook[];
	/** See `Client.serviceId`; undefined until it is known. */
	service: string | undefined;
};
