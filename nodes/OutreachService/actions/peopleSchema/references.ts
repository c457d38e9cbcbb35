/** References inside a schema, such as `{"$ref": "#/definitions/Experience"}`. */
import { RequestError } from '../../api/errors';
import { isJsonObject } from '../../utils/json';
import { innermostOf, MAX_DEPTH, type Json } from './envelopes';
import { TOO_LARGE } from './schemaErrors';

/**
 * The maximum length of a schema whose references are written out, in characters: the texts in it, and for each value the
 * length of its path and 20 more. It is far more than any real schema has, and little enough to be read without a pause.
 */
const MAX_LENGTH = 2_000_000;

/** The maximum number of times that a definition is written out inside itself. */
const MAX_REPEATS = 2;

/** The keys that may stand beside a reference, and are not part of the definition. */
const BESIDE_REFERENCE: ReadonlySet<string> = new Set([
	'$ref',
	'$schema',
	'$id',
	'$comment',
	'$defs',
	'definitions',
	'components',
	'title',
]);

/** The value to which a path of keys leads; undefined when there is none. */
function valueAt(root: unknown, keys: readonly string[]): unknown {
	return keys.reduce<unknown>(
		(node, key) => (isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
		root,
	);
}

/**
 * A copy with all local references (`#/definitions/Experience`, `#`) written out: a tree of limited size, which is safe to
 * read recursively. A reference starts at the schema inside its envelopes, or else at the whole response, as JSON Reference
 * says. The schema allows any value for another kind of reference, and for a definition that is repeated inside itself.
 * @throws RequestError when it is too large
 */
export function resolveReferences(response: unknown): unknown {
	const roots = [innermostOf(response), response];
	/** How many times each object is being written out at the moment, inside itself. */
	const timesOpen = new Map<object, number>();
	let charactersLeft = MAX_LENGTH;

	const target = (reference: string): unknown => {
		const [start, ...keys] = reference.split('/');
		if (start !== '#') return undefined;
		return roots.map((root) => valueAt(root, keys)).find((node) => node !== undefined);
	};

	/** @param path the length of the keys that lead to the value */
	const write = (node: unknown, depth: number, path: number): unknown => {
		const reference = isJsonObject(node) && typeof node.$ref === 'string' ? node.$ref : undefined;
		const text = reference ?? node;
		charactersLeft -= 20 + path + (typeof text === 'string' ? text.length : 0);
		if (charactersLeft < 0 || depth > MAX_DEPTH) throw new RequestError('schema', TOO_LARGE);
		const inside = (value: unknown, key = ''): unknown =>
			write(value, depth + 1, path + key.length + 1);
		if (Array.isArray(node)) return node.map((element) => inside(element));
		if (!isJsonObject(node)) return node;
		const repeats = timesOpen.get(node) ?? 0;
		if (repeats >= MAX_REPEATS) return 'properties' in node ? { type: 'object' } : {};
		timesOpen.set(node, repeats + 1);
		// Not Object.entries(), which takes seconds for millions of fields.
		const ownKeys = Object.keys(node).filter(
			(key) => reference === undefined || !BESIDE_REFERENCE.has(key),
		);
		const copy: Json = Object.fromEntries(ownKeys.map((key) => [key, inside(node[key], key)]));
		const referred = reference === undefined ? undefined : inside(target(reference));
		timesOpen.set(node, repeats);
		if (referred === undefined) return copy;
		// A definition beside a reference counts as well.
		return ownKeys.length === 0 ? referred : { allOf: [copy, referred] };
	};
	return write(response, 0, 0);
}
