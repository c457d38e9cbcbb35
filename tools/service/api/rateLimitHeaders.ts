import type { Switches } from '../switches';
import type { Verdict } from './rateLimit';

type HeaderSwitches = Pick<
	Switches,
	'rateLimitRequests' | 'rateLimitHeaders' | 'retryAfter' | 'resetFormat'
>;

/** A date as text. HTTP dates know no parts of a second: rounded up, so that nobody comes back too early. */
function writeDate(epochMs: number, format: Switches['resetFormat']): string {
	if (format === 'iso') return new Date(epochMs).toISOString();
	const wholeSecond = new Date(Math.ceil(epochMs / 1000) * 1000);
	return format === 'http' ? wholeSecond.toUTCString() : wholeSecond.toString();
}

/**
 * The four headers of §8.2 for one answer.
 * @param epochMs what the service's clock says: a fault can make it wrong.
 */
export function rateLimitHeaders(
	verdict: Verdict,
	switches: HeaderSwitches,
	epochMs: number,
): Record<string, string> {
	const isWanted = (when: 'always' | 'refusals' | 'never') =>
		when === 'always' || (when === 'refusals' && !verdict.allowed);
	return {
		...(isWanted(switches.retryAfter) && {
			'retry-after': String(Math.ceil(verdict.retryAfterMs / 1000)),
		}),
		...(isWanted(switches.rateLimitHeaders) && {
			'x-ratelimit-limit': String(switches.rateLimitRequests),
			'x-ratelimit-remaining': String(verdict.remaining),
			'x-ratelimit-reset': writeDate(epochMs + verdict.resetMs, switches.resetFormat),
		}),
	};
}
