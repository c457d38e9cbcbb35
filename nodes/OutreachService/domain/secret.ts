import { createHash, createHmac, timingSafeEqual } from 'crypto';
import { z } from 'zod';

import { normalizeUrl } from './targetUrl';

/**
 * The secret of a trigger's webhook (§6.4): an HMAC-SHA-256 with the API key over the whole target URL. It is derived
 * and never stored, so a repair has nothing to save, and a webhook created just before a crash is still verified. The URL
 * counts in its normalized form (D86): a service may list another spelling than it was sent, and *Send Test Event* knows
 * only that one.
 */
export function deriveSecret(apiKey: string, targetUrl: string): string {
	return createHmac('sha256', apiKey).update(normalizeUrl(targetUrl)).digest('hex');
}

export const digestSchema = z.string().brand<'Digest'>();

/** What is kept of a webhook's secret (D67): its SHA-256, in hexadecimal. */
export type Digest = z.infer<typeof digestSchema>;

export const digestOf = (secret: string): Digest =>
	digestSchema.parse(createHash('sha256').update(secret).digest('hex'));

/** Compares in constant time; digests all have the same length, whatever was sent. */
export function isOneOf(digest: Digest, accepted: readonly Digest[]): boolean {
	const given = Buffer.from(digest);
	// No early exit: the time must not tell which one matched.
	return accepted.reduce((found, other) => {
		const expected = Buffer.from(other);
		const same = expected.length === given.length && timingSafeEqual(expected, given);
		return same || found;
	}, false);
}
