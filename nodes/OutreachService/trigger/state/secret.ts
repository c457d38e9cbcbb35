import { createHmac, timingSafeEqual } from 'crypto';

/**
 * The secret of a webhook (§6.4): an HMAC-SHA-256 with the API key over the webhook's whole address. It is derived
 * and never stored, so a repair needs no place to save to, and a webhook made just before a crash is still believed.
 */
export function deriveSecret(apiKey: string, targetUrl: string): string {
	return createHmac('sha256', apiKey).update(targetUrl).digest('hex');
}

export { digestOf } from '../../model/digest';

/** Compares in constant time; digests all have the same length, whatever was sent. */
export function isOneOf(digest: string, accepted: readonly string[]): boolean {
	const given = Buffer.from(digest);
	// No early exit: the time must not tell which one matched.
	return accepted.reduce((found, other) => {
		const expected = Buffer.from(other);
		const same = expected.length === given.length && timingSafeEqual(expected, given);
		return same || found;
	}, false);
}
