import { byPath, type SchemaField } from './schema';

/** How the People record differs between two definitions. Paths are those of {@link SchemaField}. */
export type SchemaChanges = {
	changed: boolean;
	added: SchemaField[];
	removed: SchemaField[];
	retyped: Array<{ path: string; from: string; to: string }>;
};

const written = ({ type, isArray }: SchemaField): string => (isArray ? `${type}[]` : type);

/** Where a schema leaves a field open (a null or an empty list in a sample), the fields in it are unknown. */
function withoutOpen(fields: readonly SchemaField[], open: readonly string[]): SchemaField[] {
	const prefixes = open.flatMap((path) => [`${path}.`, `${path}[]`]).sort();
	let next = 0;
	let current: string | undefined;
	// In the order of the paths, those with a prefix follow each other: comparing each with each would take minutes.
	return [...fields].sort(byPath).filter(({ path }) => {
		if (current !== undefined && path.startsWith(current)) return false;
		for (let prefix = prefixes[next]; prefix !== undefined && prefix <= path; ) {
			next += 1;
			if (path.startsWith(prefix)) {
				current = prefix;
				return false;
			}
			prefix = prefixes[next];
		}
		return true;
	});
}

/**
 * Compares two definitions of the People record (§9.2).
 * A type that either side leaves open (`unknown`) is not a change, nor are the fields in it.
 */
export function compareFields(
	before: readonly SchemaField[],
	now: readonly SchemaField[],
): SchemaChanges {
	const old = new Map(before.map((field) => [field.path, field]));
	const current = new Map(now.map((field) => [field.path, field]));
	const open = [...before, ...now].filter(({ type }) => type === 'unknown').map(({ path }) => path);

	const added = withoutOpen(now, open).filter(({ path }) => !old.has(path));
	const removed = withoutOpen(before, open).filter(({ path }) => !current.has(path));
	const retyped = now.flatMap((field) => {
		const was = old.get(field.path);
		if (!was || was.type === 'unknown' || field.type === 'unknown') return [];
		const from = written(was);
		const to = written(field);
		return from === to ? [] : [{ path: field.path, from, to }];
	});
	return {
		changed: added.length + removed.length + retyped.length > 0,
		added,
		removed,
		retyped,
	};
}
