import { secretOf, webhookKeyOf } from '../nodes/OutreachService/domain/secret';
import { triggerUrlIn } from '../nodes/OutreachService/domain/triggerUrl';

/** The secret that a trigger gives its webhook at a target URL. */
export function deriveSecret(apiKey: string, targetUrl: string): string {
	const { query } = triggerUrlIn(targetUrl) ?? {};
	if (!query) throw new Error(`Not the target URL of a trigger: ${targetUrl}`);
	return secretOf(webhookKeyOf(apiKey), targetUrl, query);
}
