/** What an error may quote of a response. */
import { looksLikePage } from './page';

/** A longer body is no message, and searching it would take long. */
const LONGEST_BODY = 1_000;
/** The maximum number of characters of a quote. */
const LONGEST_QUOTE = 200;

/** Control and formatting characters: they would garble a log, or reverse a text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/u;

/** Numeric encodings of JSON, HTML and URLs: they can spell even letters and digits in another way. */
const IS_ENCODED = /&(amp;)*#|\\[ux\d]|%u?[\da-f]{2}/i;

/** The letters and digits of a text, which it keeps in every spelling without numeric encodings. */
const lettersAndDigits = (text: string): string =>
	text
		.replace(/&[a-z]{2,8};/gi, '')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toLowerCase();

/** How many characters of a longer value in a row count as a part of it. A service may shorten a value, or mask most of it. */
const SHORTEST_PART = 6;

/** Whether a text has a part of a value in it; of a short value, all of it. Both are letters and digits alone. */
function hasPartOf(value: string, text: string): boolean {
	if (value.length < 2 * SHORTEST_PART) return text.includes(value);
	for (let start = 0; start + SHORTEST_PART <= text.length; start += 1) {
		if (value.includes(text.slice(start, start + SHORTEST_PART))) return true;
	}
	return false;
}

/** Whether a text may repeat one of several values in any encoding. A text with numeric encodings could spell any value. */
function repeats(text: string, confidential: readonly string[]): boolean {
	if (IS_ENCODED.test(text)) return true;
	const plainText = lettersAndDigits(text);
	return confidential.some((value) => {
		const plainValue = lettersAndDigits(value);
		if (plainValue === '') return value !== '' && text.includes(value);
		return hasPartOf(plainValue, plainText);
	});
}

/**
 * What an error shows of a short response, on one line: a colon and the body in quotation marks. It is empty for a web page,
 * and if the body may repeat a confidential value: hiding the value alone would leave a part of it visible sooner or later.
 */
export function quoteOf(body: string, confidential: readonly string[]): string {
	if (body.length > LONGEST_BODY || looksLikePage(body)) return '';
	const line = body.trim().replace(/\s+/g, ' ');
	if (line === '' || line.length > LONGEST_QUOTE || UNPRINTABLE.test(line)) return '';
	return repeats(body, confidential) ? '' : `: "${line}"`;
}
