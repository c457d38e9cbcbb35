/** References inside a schema, such as `{"$ref": "#/definitions/Experience"}`. */
import { RequestError } from '../../api/errors';
import { isJsonObject } from '../../utils/json';
import { innermostOf, MAX_DEPTH, type Json } from './envelopes';
import { TOO_LARGE } from './failures';

/**
 * How long a schema may be, in characters, once its references are written out and each value has its path before it, and
 * counts 20 more: far longer than any real one, and short enough to be read at once.
 */
const MAX_LENGTH = 2_000_000;

/** How often a definition is written out inside itself. */
const MAX_REPEATS = 2;

/** What stands beside a reference, and is no part of the definition. */
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

function valueAt(root: unknown, keys: readonly string[]): unknown {
	return keys.reduce<unknown>(
		(node, key) => (isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
		root,
	);
}

/**
 * A copy with all local references (`#/definitions/Experience`, `#`) written out: a tree that is small enough to be read
 * in any way. References start at the schema, or at the whole response, as JSON Reference has it. Others, and what a
 * definition repeats of itself, are left open.
 * @throws RequestError when it is too large
 */
export function resolveReferences(given: unknown): unknown {
	const roots = [innermostOf(given), given];
	const open = new Map<object, number>();
	let left = MAX_LENGTH;

	const target = (reference: string): unknown => {
		const [start, ...keys] = reference.split('/');
		if (start !== '#') return undefined;
		return roots.map((root) => valueAt(root, keys)).find((node) => node !== undefined);
	};

	/** @param path the length of the keys that lead to the value */
	const write = (node: unknown, depth: number, path: number): unknown => {
		const reference = isJsonObject(node) && typeof node.$ref === 'string' ? node.$ref : undefined;
		const text = reference ?? node;
		left -= 20 + path + (typeof text === 'string' ? text.length : 0);
		if (left < 0 || depth > MAX_DEPTH) throw new RequestError('unparsable', TOO_LARGE);
		const inside = (value: unknown, key = ''): unknown =>
			write(value, depth + 1, path + key.length + 1);
		if (Array.isArray(node)) return node.map((element) => inside(element));
		if (!isJsonObject(node)) return node;
		const repeats = open.get(node) ?? 0;
		if (repeats >= MAX_REPEATS) return 'properties' in node ? { type: 'object' } : {};
		open.set(node, repeats + 1);
		// Not Object.entries(), which takes seconds for millions of fields.
		const own = Object.keys(node).filter(
			(key) => reference === undefined || !BESIDE_REFERENCE.has(key),
		);
		const copy: Json = Object.fromEntries(own.map((key) => [key, inside(node[key], key)]));
		const referred = reference === undefined ? undefined : inside(target(reference));
		open.set(node, repeats);
		if (referred === undefined) return copy;
		// What stands beside a reference counts as well.
		return own.length === 0 ? referred : { allOf: [copy, referred] };
	};
	return write(given, 0, 0);
}
