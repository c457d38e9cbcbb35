/** Deeper values are left out: JSON can be nested so deeply that writing it exhausts the stack. */
const MAX_DEPTH = 20;

/** A copy in which the value of each field `secret` is `(set)`, at any depth and whatever its type. */
export function redactSecrets(value: unknown, depth = 0): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth === MAX_DEPTH) return '(nested too deeply)';
	if (Array.isArray(value)) return value.map((entry) => redactSecrets(entry, depth + 1));
	return redactFields(value, depth);
}

/** The same for an object. */
export function redactFields(fields: object, depth = 0): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [
			name,
			name.toLowerCase() === 'secret' ? '(set)' : redactSecrets(value, depth + 1),
		]),
	);
}

/** Without the padding, which looks different in a URL. */
const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '');

/**
 * Returns a function that replaces API keys in a text, for a client that sends its key in a URL or a body: as it is,
 * encoded for a URL, and as in the `Authorization` header (§5.3). A key that is only a part of a longer word stays.
 */
export function keyRedactor(keys: readonly string[]): (text: string) => string {
	const plain = keys.flatMap((key) => [key, base64(`:${key}`)]);
	const forms = [...plain, ...plain.map(encodeURIComponent)];
	if (forms.length === 0) return (text) => text;
	// The longest first: a key may begin with another one.
	const alternatives = [...new Set(forms)]
		.sort((a, b) => b.length - a.length)
		.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
	const start = '(?<=^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2})';
	const pattern = new RegExp(`${start}(?:${alternatives.join('|')})(?![A-Za-z0-9])`, 'g');
	return (text) => text.replace(pattern, '(API key)');
}

/** A copy of JSON in which each text has gone through `change`, the names of fields included. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === 'string') return change(value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
	return mapFields(value, change);
}

/** The same for an object. */
export const mapFields = (
	fields: object,
	change: (text: string) => string,
): Record<string, unknown> =>
	Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [change(name), mapTexts(value, change)]),
	);
