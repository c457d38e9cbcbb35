import { z } from 'zod';

/** A definition in JSON Schema, as far as n8n's previews read it. */
export interface OutputSchema {
	type: 'object' | 'array' | 'string' | 'number' | 'boolean';
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

export const object = (properties: Record<string, OutputSchema>): OutputSchema => ({
	type: 'object',
	properties,
});

export const list = (items: OutputSchema): OutputSchema => ({ type: 'array', items });

/** The fields of an object that is parsed with zod. */
export function fieldsOf({ shape }: { shape: object }): Record<string, OutputSchema> {
	const types: Array<[string, unknown]> = Object.entries(shape);
	return Object.fromEntries(types.map(([name, type]) => [name, fromZod(inner(type))]));
}

/**
 * What a value is when it is there: a preview shows neither null nor missing fields.
 * @throws if no field of ours has such a type
 */
function fromZod(type: z.ZodType): OutputSchema {
	if (type instanceof z.ZodString) return { type: 'string' };
	if (type instanceof z.ZodNumber) return { type: 'number' };
	if (type instanceof z.ZodBoolean) return { type: 'boolean' };
	if (type instanceof z.ZodObject) return object(fieldsOf(type));
	if (type instanceof z.ZodArray) return list(fromZod(inner(type.element)));
	if (type instanceof z.ZodCatch) return fromZod(inner(type.removeCatch()));
	if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) {
		return fromZod(inner(type.unwrap()));
	}
	throw new Error(`No preview can show a ${type.constructor.name}`);
}

const inner = (type: unknown): z.ZodType => z.instanceof(z.ZodType).parse(type);
