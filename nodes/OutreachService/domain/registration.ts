import { z } from 'zod';

import { digestSchema } from './secret';

/** A webhook that a trigger needs at the service. */
export type DesiredWebhook = {
	/** A type of §6.1, a custom one, or `*`. */
	event: string;
	/** Says all the rest, too: see `targetUrlOf`. */
	targetUrl: string;
	campaignId?: string | undefined;
	isFirst?: boolean | undefined;
};

/**
 * A webhook that a trigger registered, as n8n's static data keeps it. Of its secret only the SHA-256: static data can
 * be read in the editor (D67). The secret is derived from target URL and API key, so the digest tells the settings, too.
 */
export const registeredWebhookSchema = z.object({
	id: z.string(),
	event: z.string(),
	targetUrl: z.string(),
	digest: digestSchema,
	/**
	 * It replaces one that existed although the service's list did not show it. If the list does not show this one either, it
	 * is not replaced again (D82).
	 */
	isSecond: z.literal(true).optional(),
});

export type RegisteredWebhook = z.infer<typeof registeredWebhookSchema> & {
	/** Whether a list has shown it in this process: if the list no longer does, the webhook is gone (D82). Not stored. */
	wasListed?: boolean;
};
