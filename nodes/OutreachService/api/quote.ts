/** A longer body is not quoted: it is no message, and looking for confidential values in it would take long. */
const LONGEST_BODY = 1_000;
const LONGEST_QUOTE = 200;

/** A web page instead of the API (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));

/** Control and formatting characters: they would garble a log, or reverse a text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/u;

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** Without one layer of JSON's, HTML's and the URL's encodings. */
const decodedOnce = (text: string): string =>
	text
		.replace(/\\u\{?([\da-f]{4,6})\}?/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/\\x([\da-f]{2})/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/&#x0*([\da-f]{1,6});?/gi, (_, hex: string) => character(parseInt(hex, 16)))
		.replace(/&#0*(\d{1,7});?/g, (_, decimal: string) => character(Number(decimal)))
		.replace(/(%[\da-f]{2})+/gi, (run) => Buffer.from(run.replace(/%/g, ''), 'hex').toString())
		.replace(/&[a-z]{2,8};/gi, '');

/** Letters and digits alone: what a text keeps in every spelling. */
const core = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** Without its ends: what stands beside a value can look like an encoding together with them, and a value may be cut. */
const middle = (text: string): string => {
	const end = text.length < 12 ? 0 : Math.floor(text.length / 4);
	return text.slice(end, text.length - end);
};

/** A text as it is, and without up to three encodings: texts are encoded more than once, such as JSON in a page. */
function layersOf(text: string): string[] {
	const layers = [text];
	for (let left = 3; left > 0; left -= 1) layers.push(decodedOnce(layers.at(-1) ?? ''));
	return layers;
}

/** Whether a text repeats one of several values, in whatever encoding. It takes some time: only for short texts. */
export function repeats(text: string, confidential: readonly string[]): boolean {
	const written = layersOf(text);
	return confidential
		.filter((value) => value !== '')
		.some((value) => {
			const reduced = core(value) === '' ? (layer: string) => layer : core;
			// A value may look like an encoding itself: both are compared at every layer.
			const values = layersOf(value).map(reduced).map(middle).filter(Boolean);
			return written.map(reduced).some((layer) => values.some((one) => layer.includes(one)));
		});
}

/**
 * What an error shows of a short response, on one line. Nothing of a web page, and nothing at all if the body repeats a
 * value that must not be shown, in whatever encoding: hiding the value alone would leave a part of it visible sooner or
 * later.
 */
export function quoteOf(body: string, confidential: readonly string[] = []): string {
	if (body.length > LONGEST_BODY || looksLikePage(body)) return '';
	const line = body.trim().replace(/\s+/g, ' ');
	if (line === '' || line.length > LONGEST_QUOTE || UNPRINTABLE.test(line)) return '';
	if (repeats(body, confidential)) return '';
	return `: "${line}"`;
}
