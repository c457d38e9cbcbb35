import type { Switches } from '../switches';
import type { RateLimitResult } from './rateLimit';

type HeaderSwitches = Pick<Switches, 'rateLimitRequests' | 'rateLimitHeaders' | 'retryAfter'>;

/** An HTTP date has no fractions: rounded up, so that no client retries too early. */
const writeDate = (epochMs: number): string =>
	new Date(Math.ceil(epochMs / 1000) * 1000).toUTCString();

/**
 * The rate-limit headers of a response (§8.2).
 * @param epochMs the time on the service's clock, which a fault can skew.
 */
export function rateLimitHeaders(
	result: RateLimitResult,
	switches: HeaderSwitches,
	epochMs: number,
): Record<string, string> {
	const isSent = (when: 'always' | 'refusals' | 'never') =>
		when === 'always' || (when === 'refusals' && !result.allowed);
	return {
		...(isSent(switches.retryAfter) && {
			'retry-after': String(Math.ceil(result.retryAfterMs / 1000)),
		}),
		...(isSent(switches.rateLimitHeaders) && {
			'x-ratelimit-limit': String(switches.rateLimitRequests),
			'x-ratelimit-remaining': String(result.remaining),
			'x-ratelimit-reset': writeDate(epochMs + result.resetMs),
		}),
	};
}
