import type { SchemaField } from './schemaFields';

/** How the People record differs between two definitions. Paths are those of {@link SchemaField}. */
export type SchemaChanges = {
	changed: boolean;
	added: SchemaField[];
	removed: SchemaField[];
	retyped: Array<{ path: string; from: string; to: string }>;
};

const written = ({ type, isArray }: SchemaField): string => (isArray ? `${type}[]` : type);

/** Where a schema leaves a field open (a null or an empty list in a sample), the fields in it are unknown. */
function isUnder(path: string, open: readonly string[]): boolean {
	return open.some((at) => path.startsWith(`${at}.`) || path.startsWith(`${at}[]`));
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

	const added = now.filter(({ path }) => !old.has(path) && !isUnder(path, open));
	const removed = before.filter(({ path }) => !current.has(path) && !isUnder(path, open));
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
