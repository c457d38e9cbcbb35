/** Finds what is confidential in the parameters of a node and in a request, wherever it is. */
import { decoded } from '../domain/targetUrl';
import { isJsonObject, parseJson } from '../utils/json';
import { isTooLarge } from './body';

/** The names of values that are confidential. */
const SECRET_NAME = /secret|passw|token|api[_-]?key/i;

/** A name and its value in a text, such as in the query of a URL. */
const NAMED = /(?<![\w.%[\]-])([\w.%[\]-]+)\s*[:=]\s*([^\s?&;,#]+)/g;

/** The confidential texts in a text: in its JSON, or else in its pairs of a name and a value. */
function secretsIn(text: string): string[] {
	if (!SECRET_NAME.test(decoded(text))) return [];
	const json = /^\s*[{[]/.test(text) && !isTooLarge(text) ? parseJson(text) : undefined;
	if (json !== undefined) return confidentialIn(json);
	// Broken JSON or an expression, in which anything may be such a value.
	if (text.includes('{')) return [text];
	return [...text.matchAll(NAMED)]
		.filter(([, name = '']) => SECRET_NAME.test(decoded(name)))
		.flatMap(([, , value = '']) => [value, decoded(value)]);
}

/**
 * A copy of a value, with something else in place of each text or number in which something is confidential.
 * @param replace makes it of the confidential texts
 * @param isSecret whether all of the value is confidential, by its name
 */
function replaced(
	value: unknown,
	replace: (secrets: string[]) => string,
	isSecret = false,
): unknown {
	if (typeof value === 'number' || (typeof value === 'string' && value !== '')) {
		const secrets = isSecret ? [String(value)] : secretsIn(String(value));
		return secrets.length > 0 ? replace(secrets) : value;
	}
	if (Array.isArray(value)) return value.map((one: unknown) => replaced(one, replace, isSecret));
	if (!isJsonObject(value)) return value;
	const isNamed = [value.name, value.key].some(
		(name) => typeof name === 'string' && SECRET_NAME.test(name),
	);
	const fields = Object.entries(value).map(([name, one]): [string, unknown] => {
		const isSecretField = SECRET_NAME.test(name) || (isNamed && name === 'value');
		return [name, replaced(one, replace, isSecret || isSecretField)];
	});
	return Object.fromEntries(fields);
}

/** The confidential texts in a value: those that have the name of a secret, or are inside something with such a name. */
export function confidentialIn(value: unknown): string[] {
	const found: string[][] = [];
	replaced(value, (secrets) => {
		found.push(secrets);
		return '';
	});
	return found.flat();
}

/** A copy of a value that shows nothing of what {@link confidentialIn} finds in it. */
export const withoutConfidential = (value: unknown): unknown => replaced(value, () => '(hidden)');
