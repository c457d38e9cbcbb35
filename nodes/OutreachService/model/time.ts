/** Longer than any date. */
const LONGEST_DATE = 100;

/** A date of the service that names a zone, or is a mere day, which JavaScript reads as UTC already. */
const HAS_ZONE = /gmt|utc|(?:z|[+-]\d\d:?\d\d)$/i;
const IS_DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * When something was created: milliseconds since 1970. The service's times are UTC (§2.1), also when they do not say
 * so: JavaScript would read them as local time then.
 * @returns undefined for what is not a date
 */
export function timeOf(date: string | undefined): number | undefined {
	const text = date?.slice(0, LONGEST_DATE).trim() ?? '';
	const isIso = /^\d{4}-\d\d-\d\d[t ]\d/i.test(text);
	const zone = HAS_ZONE.test(text) || IS_DAY.test(text) ? '' : isIso ? 'Z' : ' UTC';
	const time = Date.parse(`${isIso ? text.replace(' ', 'T') : text}${zone}`);
	return Number.isNaN(time) ? undefined : time;
}
