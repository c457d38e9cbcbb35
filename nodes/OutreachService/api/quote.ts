/** A longer body is no message. */
const LONGEST_BODY = 1_000;
const LONGEST_QUOTE = 200;

/** A web page instead of the API (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));

/** Control and formatting characters: they would garble a log, or reverse a text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/u;

/** Numeric encodings, which can spell even letters and digits in another way: as JSON, HTML and URLs have them. */
const IS_ENCODED = /\\[ux]|&#|%[\da-f]{2}/i;

/** Without its ends, which a text may cut off. */
const middle = (value: string): string => {
	const end = value.length < 12 ? 0 : Math.floor(value.length / 4);
	return value.slice(end, value.length - end);
};

/**
 * Whether a text repeats one of several values, or most of it. JSON, HTML and URLs write punctuation and other scripts in
 * many ways, but leave ASCII letters and digits as they are: only those count, in their order.
 */
export function repeats(text: string, confidential: readonly string[]): boolean {
	const written = text.toLowerCase();
	return confidential.some((value) => {
		const parts = middle(value)
			.toLowerCase()
			.match(/[a-z\d]+/g);
		if (!parts) return value !== '' && (text.includes(value) || IS_ENCODED.test(text));
		let at = 0;
		return parts.every((part) => {
			const found = written.indexOf(part, at);
			at = found + part.length;
			return found >= 0;
		});
	});
}

/**
 * What an error shows of a short response, on one line. Nothing of a web page, and nothing at all if the body may repeat
 * a value that must not be shown: hiding the value alone would leave a part of it visible sooner or later.
 */
export function quoteOf(body: string, confidential: readonly string[] = []): string {
	if (body.length > LONGEST_BODY || looksLikePage(body)) return '';
	const line = body.trim().replace(/\s+/g, ' ');
	if (line === '' || line.length > LONGEST_QUOTE || UNPRINTABLE.test(line)) return '';
	return IS_ENCODED.test(body) || repeats(body, confidential) ? '' : `: "${line}"`;
}
