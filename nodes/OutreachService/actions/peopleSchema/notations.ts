import { z } from 'zod';

export type Json = Record<string, unknown>;

const TYPE_NAMES: Readonly<Record<string, string>> = {
	string: 'string',
	text: 'string',
	keyword: 'string',
	date: 'string',
	datetime: 'string',
	'date-time': 'string',
	uri: 'string',
	integer: 'integer',
	int: 'integer',
	long: 'integer',
	number: 'number',
	float: 'number',
	double: 'number',
	boolean: 'boolean',
	bool: 'boolean',
	object: 'object',
	array: 'array',
	null: 'unknown',
	unknown: 'unknown',
	any: 'unknown',
};

const namedListSchema = z
	.array(z.object({ name: z.string().min(1), type: z.unknown() }).passthrough())
	.min(1);

export const isRecord = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name of a type as a field list has it; undefined for anything else. */
export const typeName = (value: unknown): string | undefined =>
	typeof value === 'string' && Object.hasOwn(TYPE_NAMES, value.toLowerCase())
		? TYPE_NAMES[value.toLowerCase()]
		: undefined;

/** `string`, `string[]` and `array<string>`; undefined for anything else. */
export function readTypeName(text: unknown): { type: string; isArray: boolean } | undefined {
	if (typeof text !== 'string') return undefined;
	const trimmed = text.trim();
	const element = /^(?:array<([^<>]+)>|([^[\]]+)\[\])$/i.exec(trimmed);
	const type = typeName(element?.[1] ?? element?.[2] ?? trimmed);
	if (type === undefined) return undefined;
	if (type === 'array') return { type: 'unknown', isArray: true };
	return { type, isArray: element !== null };
}

const isTypeLike = (type: unknown): boolean =>
	readTypeName(type) !== undefined || Array.isArray(type) || isRecord(type);

/**
 * `[{name, type}]`, with nested `fields`, `children` or `properties`, as a map of name to definition. The type can be
 * a definition of its own, as in `{type: {type: 'array', items: 'string'}}`.
 */
export function asNamedList(list: unknown, nesting = 0): Json | undefined {
	const parsed = namedListSchema.safeParse(list);
	if (!parsed.success || nesting > 20) return undefined;
	if (!parsed.data.every(({ type }) => isTypeLike(type))) return undefined;
	return Object.fromEntries(
		parsed.data.map(({ name, ...rest }) => {
			const nested = rest.fields ?? rest.children ?? rest.properties;
			const properties =
				asNamedList(nested, nesting + 1) ?? (isRecord(nested) ? nested : undefined);
			if (!properties) {
				const isWholeType = !Array.isArray(rest.type) && rest.items === undefined;
				return [name, isWholeType ? rest.type : rest];
			}
			const isArray = readTypeName(rest.type)?.isArray === true;
			return [name, isArray ? { items: { properties } } : { properties }];
		}),
	);
}
