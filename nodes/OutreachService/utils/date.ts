/** Dates, as services and people write them. */
import { tryToParseDateTime } from 'n8n-workflow';

import { settleSync } from './settle';

/** No date is longer. */
const LONGEST_DATE = 100;

/** How a date in ISO 8601 or SQL begins. */
const BEGINS_WITH_DAY = /^\d{4}-?\d\d-?\d\d/;
/** The time and the time zone in what JavaScript, HTTP and emails write for a date. */
const HAS_TIME_AND_ZONE = /\d:\d\d.*(\b(GMT|UTC)|[+-]\d\d:?\d\d\b)/;

/**
 * A date in ISO 8601 and UTC, such as `2026-03-01T09:30:00.000Z`. n8n reads it; but of other texts n8n only guesses what they mean:
 * to it, `Phase-1234` is a date, and February 30 is in March.
 * @param timeZone that of a date which does not name its own
 * @returns undefined for what is not a date
 */
export function isoDateOf(value: unknown, timeZone: string): string | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text.length > LONGEST_DATE) return undefined;
	const [day] = BEGINS_WITH_DAY.exec(text) ?? [];
	if (day === undefined && !HAS_TIME_AND_ZONE.test(text)) return undefined;
	const isRealDay =
		day === undefined ||
		read(day, 'UTC')?.toISODate()?.replaceAll('-', '') === day.replaceAll('-', '');
	if (!isRealDay) return undefined;
	// A workflow can have a time zone that is none, such as `DEFAULT`: it means that of n8n.
	return (read(text, timeZone) ?? read(text))?.toUTC().toISO() ?? undefined;
}

/** What n8n reads; undefined when it cannot read the text. */
function read(text: string, timeZone?: string) {
	const result = settleSync(() => tryToParseDateTime(text, timeZone));
	return result.ok ? result.value : undefined;
}
