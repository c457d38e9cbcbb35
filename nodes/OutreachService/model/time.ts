/** Longer than any date. */
const LONGEST_DATE = 100;

/** Dates that name a zone; mere days, which JavaScript reads as UTC already, are matched below. */
const HAS_ZONE = /gmt|utc|(?:z|[+-]\d\d:?\d\d)$/i;
const IS_DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * When something was created, in milliseconds since 1970. The service's times are UTC (§2.1) even without a zone; JavaScript
 * would read those as local time.
 * @returns undefined for what is not a date
 */
export function timeOf(date: string | undefined): number | undefined {
	const text = date?.slice(0, LONGEST_DATE).trim() ?? '';
	const isIso = /^\d{4}-\d\d-\d\d[t ]\d/i.test(text);
	const zone = HAS_ZONE.test(text) || IS_DAY.test(text) ? '' : isIso ? 'Z' : ' UTC';
	const time = Date.parse(`${isIso ? text.replace(' ', 'T') : text}${zone}`);
	return Number.isNaN(time) ? undefined : time;
}
