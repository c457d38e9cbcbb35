/** A longer body is not quoted: it is no message, and looking for confidential values in it would take long. */
const LONGEST_BODY = 1_000;
const LONGEST_QUOTE = 200;

/** A web page instead of the API (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** Without one layer of JSON's, HTML's and the URL's encodings. */
const decodedOnce = (text: string): string =>
	text
		.replace(/\\u\{?([\da-f]{4,6})\}?/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/\\x([\da-f]{2})/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/&#x0*([\da-f]{1,6});?/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/&#0*(\d{1,7});?/g, (_, decimal: string) => character(Number(decimal)))
		.replace(/%([\da-f]{2})/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/&[a-z]{2,8};/gi, '');

/** Letters and digits alone: what a text keeps in every spelling. */
const core = (text: string): string => text.replace(/[^a-z\d]/gi, '').toLowerCase();

/** Without its ends: what stands beside a value can look like an encoding together with them, and a value may be cut. */
const middle = (text: string): string => {
	const end = text.length < 12 ? 0 : Math.floor(text.length / 4);
	return text.slice(end, text.length - end);
};

/** Texts are encoded more than once, such as JSON in a page. */
const MAX_LAYERS = 4;

function holdsOneOf(text: string, confidential: readonly string[]): boolean {
	// A value may look like an encoding itself: both are compared at every layer.
	const layers = (value: string): string[] => {
		const all = [value];
		for (let layer = 1; layer < MAX_LAYERS; layer += 1) all.push(decodedOnce(all[layer - 1] ?? ''));
		return all.map(core);
	};
	const written = layers(text);
	return confidential
		.filter((value) => value !== '')
		.flatMap((value) => layers(value).map(middle))
		.some((value) => written.some((one) => one.includes(value)));
}

/**
 * What an error shows of a short response, on one line. Nothing of a web page, and nothing at all if the body repeats a
 * value that must not be shown, in whatever encoding: hiding the value alone would leave a part of it visible sooner or
 * later.
 */
export function quoteOf(body: string, confidential: readonly string[] = []): string {
	if (body.length > LONGEST_BODY || looksLikePage(body)) return '';
	const line = body.trim().replace(/\s+/g, ' ');
	if (line === '' || line.length > LONGEST_QUOTE || holdsOneOf(body, confidential)) return '';
	return `: "${line}"`;
}
