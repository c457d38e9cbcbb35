import { secretOf, webhookKeyOf } from '../nodes/OutreachService/domain/secret';

/** The secret that the trigger gives the webhook at a target URL. */
export const deriveSecret = (apiKey: string, targetUrl: string): string =>
	secretOf(webhookKeyOf(apiKey), targetUrl);
