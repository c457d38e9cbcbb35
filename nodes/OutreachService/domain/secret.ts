/** The secrets of a trigger's webhooks: derived from the API key and never stored. */
import { createHmac, timingSafeEqual } from 'crypto';

import { routeIn, targetUrlOf, type TargetQuery } from './triggerUrl';

/** What a process keeps of an API key to verify deliveries. Neither part tells the key. */
export type WebhookKey = {
	/** A short fingerprint of the API key, which stands in the target URL of each webhook that was made with it. */
	id: string;
	/** From which the secrets of webhooks are derived. */
	secretKey: string;
};

const derive = (key: string, label: string): string =>
	createHmac('sha256', key).update(label).digest('hex');

/** What an API key gives the webhooks of a trigger. The two labels keep the public part from telling anything of the other. */
export const webhookKeyOf = (apiKey: string): WebhookKey => ({
	id: derive(apiKey, 'webhook key ID').slice(0, 12),
	secretKey: derive(apiKey, 'webhook secrets'),
});

/**
 * The secret of a trigger's webhook (§6.4), in hexadecimal. It depends on the API key, on the route and on what the webhook
 * delivers. Host, port and spelling are left out: services and proxies change them.
 * @param url the target URL, or the base of the node
 */
export const secretOf = ({ secretKey }: WebhookKey, url: string, query: TargetQuery): string =>
	derive(secretKey, targetUrlOf(routeIn(url), { ...query, keyId: undefined }));

/** Whether a delivered secret is the expected one. The comparison takes the same time wherever they differ. */
export function isSecret(delivered: unknown, expected: string): boolean {
	if (typeof delivered !== 'string') return false;
	const [actual, wanted] = [Buffer.from(delivered), Buffer.from(expected)];
	return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}

/** Whether a value could be the secret of a trigger's webhook. Nothing else is worth reading a credential for. */
export const hasFormOfSecret = (value: unknown): boolean =>
	typeof value === 'string' && /^[\da-f]{64}$/.test(value);
