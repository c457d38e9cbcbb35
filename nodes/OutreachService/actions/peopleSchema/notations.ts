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

/** Longer than any name of a type. */
const LONGEST_NAME = 100;

export const isRecord = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name of a type as a field list has it; undefined for anything else. */
export function typeName(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.length > LONGEST_NAME) return undefined;
	const name = value.trim().toLowerCase();
	return Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
}

/** `string`, `string[]` and `array<string>`; undefined for anything else. */
export function readTypeName(text: unknown): { type: string; isArray: boolean } | undefined {
	if (typeof text !== 'string' || text.length > LONGEST_NAME) return undefined;
	const trimmed = text.trim();
	const element = /^(?:array<([^<>]+)>|([^[\]]+)\[\])$/i.exec(trimmed);
	const type = typeName(element?.[1] ?? element?.[2] ?? trimmed);
	if (type === undefined) return undefined;
	if (type === 'array') return { type: 'unknown', isArray: true };
	return { type, isArray: element !== null };
}
