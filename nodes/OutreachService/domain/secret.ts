/** Secrets and their digests. */
import { createHash, createHmac, timingSafeEqual } from 'crypto';
import { z } from 'zod';

import { normalizeUrl } from './targetUrl';

/**
 * The secret of a trigger's webhook (§6.4): an HMAC-SHA-256 with the API key over the whole target URL, in hexadecimal. It
 * is derived and never stored, so a check has nothing to save, and deliveries of a webhook that was created just before a
 * crash can still be verified. The target URL is normalized (D86), because a service may list it in another spelling, and
 * *Send Test Event* knows only the listed spelling.
 */
export function deriveSecret(apiKey: string, targetUrl: string): string {
	return createHmac('sha256', apiKey).update(normalizeUrl(targetUrl)).digest('hex');
}

/** Whether a text could be the secret of a trigger's webhook. */
export const hasFormOfSecret = (text: string): boolean => /^[\da-f]{64}$/.test(text);

/** A digest, as static data keeps it. */
export const digestSchema = z.string().brand<'Digest'>();

/** What is kept of a webhook's secret (D67): its SHA-256, in hexadecimal. */
export type Digest = z.infer<typeof digestSchema>;

/** The digest of a secret. */
export const digestOf = (secret: string): Digest =>
	digestSchema.parse(createHash('sha256').update(secret).digest('hex'));

/** Whether a digest is accepted. The comparison takes constant time: digests have the same length, whatever was sent. */
export function isOneOf(digest: Digest, accepted: readonly Digest[]): boolean {
	const actual = Buffer.from(digest);
	// All are compared, because the time must not tell which one is equal.
	return accepted.reduce((isAccepted, acceptedDigest) => {
		const expected = Buffer.from(acceptedDigest);
		const isEqual = expected.length === actual.length && timingSafeEqual(expected, actual);
		return isEqual || isAccepted;
	}, false);
}
