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

/**
 * Parts of a value, one of which is still there if a service has shortened or masked the value. A value without letters and
 * digits has no parts.
 */
function partsOf(text: string): string[] {
	const size = text.length < 12 ? text.length : Math.max(6, Math.ceil(text.length / 4));
	return size === 0 ? [] : (text.match(new RegExp(`.{${size}}`, 'gs')) ?? []);
}

/** Whether a text may repeat one of several values in any encoding. A text with numeric encodings could spell any value. */
function repeats(text: string, confidential: readonly string[]): boolean {
	if (IS_ENCODED.test(text)) return true;
	const plainText = lettersAndDigits(text);
	return confidential.some((value) => {
		const parts = partsOf(lettersAndDigits(value));
		if (parts.length === 0) return value !== '' && text.includes(value);
		return parts.some((part) => plainText.includes(part));
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
