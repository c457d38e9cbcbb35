/** The body of a response: how it is decoded, whether it may be used at all (D94), and what an error quotes of it. */
import { isJsonObject, parseJson } from '../utils/json';

/** A body as text. */
export type Body = {
	/** Empty when the bytes are not text. */
	text: string;
	/** Whether there is more of it than was read. */
	isTruncated: boolean;
	/** Whether its bytes are a text in the encoding that the response declares. */
	isText: boolean;
};

/**
 * Decodes a body as its `Content-Type` says, or else as UTF-8. Bytes that this encoding does not have, and an encoding that nobody
 * knows, make it no text: a replacement character would pass for what the service wrote.
 */
export function decodeBody(bytes: Buffer, contentType: unknown, isTruncated: boolean): Body {
	const declared = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(
		typeof contentType === 'string' ? contentType : '',
	)?.[1];
	try {
		const decoder = new TextDecoder(declared ?? 'utf-8', { fatal: true });
		// The last character of a part may be incomplete.
		return { text: decoder.decode(bytes, { stream: isTruncated }), isTruncated, isText: true };
	} catch {
		return { text: '', isTruncated, isText: false };
	}
}

/** Whether a body is a web page, which comes from something in between, or from another host (D6). */
export const looksLikePage = (text: string): boolean =>
	/^\s*<(!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, 10_000));

/**
 * The maximum number of values in a body, and of levels. To store the items of a body, n8n needs a multiple of its memory:
 * 16 MB of `{}` would be 5.5 million items.
 */
const MAX_VALUES = 400_000;
const MAX_DEPTH = 200;

/** Whether a JSON text has more values or levels than that: it is not parsed for this. */
export function isTooLarge(json: string): boolean {
	let values = 0;
	let depth = 0;
	let isInString = false;
	for (let at = 0; at < json.length; at++) {
		const char = json[at];
		if (isInString) {
			if (char === '\\') at += 1;
			else if (char === '"') isInString = false;
			continue;
		}
		if (char === '"') isInString = true;
		else if (char === ',') values += 1;
		else if (char === ']' || char === '}') depth -= 1;
		else if (char === '[' || char === '{') {
			values += 1;
			depth += 1;
		}
		if (values > MAX_VALUES || depth > MAX_DEPTH) return true;
	}
	return false;
}

/** The minimum number of characters of a key for which bodies are searched: a shorter one is a part of many texts by chance. */
const SHORTEST_KEY = 8;

/** The API key as the header has it (§5.3), without the padding, which a URL may leave out, and as it is entered. */
export function formsOf(apiKey: string): string[] {
	const inHeader = Buffer.from(`:${apiKey}`).toString('base64').replace(/=+$/, '');
	return apiKey.length < SHORTEST_KEY ? [inHeader] : [inHeader, apiKey];
}

/** Finds a text, also as JSON may write it: each character as `\uXXXX`, and some after a backslash. */
function inJson(text: string): RegExp {
	const characters = Array.from({ length: text.length }, (_, index) => {
		const code = text.charCodeAt(index).toString(16).padStart(4, '0');
		return `\\\\?(?:\\u${code}|u${code})`;
	});
	return new RegExp(characters.join(''), 'i');
}

/** Why a body cannot be used. */
export type BodyProblem = 'notText' | 'tooLarge' | 'repeatsKey';

/**
 * Why a body cannot be used, whatever it says; undefined when it may be used. A server that repeats the API key, as it is
 * entered or as the header has it, is no service, and its response must not become an item.
 */
export function problemWithBody(
	{ text, isTruncated, isText }: Body,
	apiKey: string,
): BodyProblem | undefined {
	if (!isText) return 'notText';
	if (formsOf(apiKey).some((form) => inJson(form).test(text))) return 'repeatsKey';
	return isTruncated || isTooLarge(text) ? 'tooLarge' : undefined;
}

/** The maximum number of characters of a reason. */
const LONGEST_REASON = 200;

/** The fields of an error in JSON that say what is wrong, the most precise first. */
const REASONS = ['detail', 'message', 'error_description', 'error', 'reason', 'msg', 'title'];
/** The fields of an error in JSON that list what is wrong with each value. */
const LISTS = ['errors', 'issues', 'violations', 'details', 'invalid_params', 'invalid-params'];
/** The fields of an entry of such a list that name the value. */
const NAMES = ['field', 'path', 'param', 'name', 'property', 'loc'];

/** What a JSON value says as an error: its first reason, and those that it lists; empty when it says none. */
export function reasonIn(value: unknown, levels = 3): string {
	if (typeof value === 'string') return value;
	if (levels === 0) return '';
	if (Array.isArray(value)) {
		const entries = value.slice(0, 10).map((entry: unknown) => reasonIn(entry, levels - 1));
		return entries.filter((entry) => entry !== '').join('; ');
	}
	if (!isJsonObject(value)) return '';
	const inside = (names: readonly string[]): string =>
		names.map((name) => reasonIn(value[name], levels - 1)).find((reason) => reason !== '') ?? '';
	const name = NAMES.map((one) => value[one]).find((one) => typeof one === 'string');
	const reasons = [inside(REASONS), inside(LISTS)].filter((reason) => reason !== '').join(': ');
	return typeof name === 'string' && reasons !== '' ? `${name}: ${reasons}` : reasons;
}

/** Numeric encodings of JSON, HTML and URLs: they can spell even letters and digits in another way. */
const IS_ENCODED = /&(amp;)*#|\\[ux\d]|%u?[\da-f]{2}/i;

/** The letters and digits of a text, which it keeps in every spelling without numeric encodings. */
const lettersAndDigits = (text: string): string =>
	text
		.replace(/&[a-z]{2,8};/gi, '')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toLowerCase();

/** How many letters and digits in a row count as a part of a value. A service may shorten it, or mask most of it. */
const PART = 6;

/** Whether a text has a part of a confidential value; of a shorter value, all of it. */
function repeats(text: string, confidential: readonly string[]): boolean {
	// It could spell any value.
	if (IS_ENCODED.test(text)) return true;
	const shown = lettersAndDigits(text);
	return confidential.some((value) => {
		const plain = lettersAndDigits(value);
		if (plain === '') return value !== '' && text.includes(value);
		const length = Math.min(PART, plain.length);
		for (let start = 0; start + length <= shown.length; start += 1) {
			if (plain.includes(shown.slice(start, start + length))) return true;
		}
		return false;
	});
}

/**
 * What an error shows of a body: a colon and what it says is wrong, in quotation marks, on one line and shortened. It is
 * empty for a web page, and if the reason may repeat a confidential value: hiding the value alone would leave a part of it
 * visible sooner or later. Email addresses are left out, because n8n's log contains errors.
 */
export function quoteOf(body: string, confidential: readonly string[]): string {
	if (looksLikePage(body)) return '';
	const line = (reasonIn(parseJson(body)) || body)
		.slice(0, 5 * LONGEST_REASON)
		// Control and formatting characters would garble a log, or reverse a text.
		.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
		.replace(/[^\s"'<>(),:;@]+@[^\s"'<>(),:;@]+/g, '(email address)')
		.trim()
		.replace(/\s+/g, ' ');
	const isLong = line.length > LONGEST_REASON;
	const shown = isLong ? `${line.slice(0, LONGEST_REASON - 1).trimEnd()}…` : line;
	return shown === '' || repeats(shown, confidential) ? '' : `: "${shown}"`;
}
