/** A longer body is no message, and searching it would take long. */
const LONGEST_BODY = 1_000;
const LONGEST_QUOTE = 200;

/** A web page instead of the API (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));

/** Control and formatting characters: they would garble a log, or reverse a text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/u;

/** Numeric encodings, which can spell even letters and digits in another way: those of JSON, HTML and URLs. */
const NUMERIC =
	/\\+u\{?0*([\da-f]{1,6})\}|\\+u([\da-f]{4})|\\+x([\da-f]{2})|&(?:amp;)*#x0*([\da-f]{1,6});?|&(?:amp;)*#0*(\d{1,7});?|%(?:u00)?([\da-f]{2})/gi;

/** Any of them, or what looks like one: it could spell anything. */
const IS_ENCODED = /&(amp;)*#|\\+[ux\d]|%u?[\da-f]{2}/i;

/** Without one layer of them. */
const decodedOnce = (text: string): string =>
	text.replace(NUMERIC, (_, ...groups: Array<string | undefined>) => {
		const [braces, json, js, html, decimal, url = ''] = groups;
		const hex = braces ?? json ?? js ?? html ?? url;
		const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
		return code <= 0x10ffff ? String.fromCodePoint(code) : '';
	});

/** A text as it is, and without up to three encodings: texts are encoded more than once, such as JSON in a page. */
function layersOf(text: string): string[] {
	const layers = [text];
	for (let left = 3; left > 0; left -= 1) layers.push(decodedOnce(layers.at(-1) ?? ''));
	return layers;
}

/** ASCII letters and digits alone: what a text keeps in every spelling. */
const core = (text: string): string =>
	text
		.replace(/&[a-z]{2,8};/gi, '')
		.replace(/[^a-z\d]/gi, '')
		.toLowerCase();

/** Without its ends: what stands beside a value can look like an encoding together with them, and a value may be cut. */
const middle = (text: string): string => {
	const end = text.length < 12 ? 0 : Math.floor(text.length / 4);
	return text.slice(end, text.length - end);
};

/**
 * Whether a text repeats one of several values, in whatever encoding. A value without letters and digits of ASCII is taken
 * for repeated by any text with numeric encodings.
 */
export function repeats(text: string, confidential: readonly string[]): boolean {
	const layers = layersOf(text);
	const written = layers.map(core);
	return confidential
		.filter((value) => value !== '')
		.some((value) => {
			if (core(value) === '') return text.includes(value) || IS_ENCODED.test(text);
			// A value may look like an encoding itself: both are compared at every layer.
			const values = layersOf(value).map(core).map(middle).filter(Boolean);
			return written.some((layer) => values.some((one) => layer.includes(one)));
		});
}

/**
 * What an error shows of a short response, on one line. Nothing of a web page, and nothing at all if the body has numeric
 * encodings or may repeat a value that must not be shown: hiding the value alone would leave a part of it visible sooner or later.
 */
export function quoteOf(body: string, confidential: readonly string[] = []): string {
	if (body.length > LONGEST_BODY || looksLikePage(body)) return '';
	const line = body.trim().replace(/\s+/g, ' ');
	if (line === '' || line.length > LONGEST_QUOTE || UNPRINTABLE.test(line)) return '';
	return IS_ENCODED.test(body) || repeats(body, confidential) ? '' : `: "${line}"`;
}
