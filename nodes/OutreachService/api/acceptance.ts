/** Whether the body of a response may be used at all, whatever it says (D94). */
import { parseJson } from '../utils/json';
import type { HttpResponse } from './http';

/**
 * The maximum number of values in a body, and of levels. To store the items of a body, n8n needs a multiple of its memory:
 * 16 MB of `{}` would be 5.5 million items.
 */
const MAX_VALUES = 400_000;
const MAX_DEPTH = 200;

/** Whether a JSON text has more values or levels than anybody could use. It is not parsed for this. */
export function isTooComplex(json: string, maxDepth = MAX_DEPTH): boolean {
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
			if (depth > maxDepth) return true;
		}
		if (values > MAX_VALUES) return true;
	}
	return false;
}

/**
 * The minimum number of characters of a key for which bodies are searched: a shorter one is a part of many texts by chance.
 * Its form in the header is searched for in any case.
 */
const SHORTEST_KEY = 8;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The forms in which a server may repeat the API key: as in the header (§5.3), and the key itself, also encoded. */
export function formsOf(apiKey: string): string[] {
	const withoutPadding = (text: string): string => base64(text).replace(/=+$/, '');
	const forms = [withoutPadding(`:${apiKey}`)];
	if (apiKey.length >= SHORTEST_KEY) {
		forms.push(apiKey, withoutPadding(apiKey), Buffer.from(apiKey).toString('hex'));
	}
	const urlSafe = forms.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
	// encodeURIComponent() throws for half a character, which the way through bytes makes a replacement character.
	const encoded = forms.map((text) => encodeURIComponent(Buffer.from(text).toString()));
	return [...new Set([...forms, ...urlSafe, ...encoded])];
}

/** Whether a body has one of these forms in it, however JSON writes it: `\/` is a slash, too. */
function contains(text: string, forms: readonly string[]): boolean {
	if (forms.some((form) => text.includes(form))) return true;
	if (!text.includes('\\')) return false;
	const value = parseJson(text);
	if (value === undefined) return false;
	try {
		const plain = JSON.stringify(value);
		return forms.some((form) => plain.includes(JSON.stringify(form).slice(1, -1)));
	} catch {
		// The body has too many levels to be searched.
		return true;
	}
}

/**
 * Why a body cannot be used, whatever it says; undefined when it may be used. A server that repeats the request that it
 * gets is no service, and its response must not become an item.
 * @param forms of the API key, as {@link formsOf} gives them
 * @param maxDepth the maximum number of levels, if not {@link MAX_DEPTH}
 */
export function problemWithBody(
	{ text, isTruncated }: Pick<HttpResponse, 'text' | 'isTruncated'>,
	forms: readonly string[],
	maxDepth?: number,
): 'tooLarge' | 'repeatsKey' | undefined {
	if (isTruncated || isTooComplex(text, maxDepth)) return 'tooLarge';
	return contains(text, forms) ? 'repeatsKey' : undefined;
}
