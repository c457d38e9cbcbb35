/** A definition in JSON Schema 2020-12; an empty one allows any value. */
export type JsonSchema = {
	$schema?: string;
	title?: string;
	type?: string | string[] | undefined;
	description?: string;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	items?: JsonSchema;
	minItems?: number;
	maxItems?: number;
	enum?: unknown[];
	anyOf?: JsonSchema[];
};

const NUMBERS = ['integer', 'number'];

const isNumeric = ({ type }: JsonSchema): boolean =>
	typeof type === 'string' && NUMBERS.includes(type);

export const isSame = (one: JsonSchema, other: JsonSchema): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** A definition that allows what either of two allows: the elements of a sample may differ. */
export function common(one: JsonSchema, other: JsonSchema): JsonSchema {
	if (isSame(one, other)) return one;
	if (isNumeric(one) && isNumeric(other)) return { type: 'number' };
	if (one.properties && other.properties) {
		const properties = { ...one.properties };
		for (const [name, schema] of Object.entries(other.properties)) {
			const same = Object.hasOwn(properties, name) ? properties[name] : undefined;
			define(properties, name, same ? common(same, schema) : schema);
		}
		return { type: 'object', properties };
	}
	if (one.items && other.items) return { type: 'array', items: common(one.items, other.items) };
	return {};
}

/** Sets a property under any name, even `__proto__`. */
export const define = (properties: object, name: string, value: unknown): object =>
	Object.defineProperty(properties, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});

/** A definition that allows the same, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
	const { type, anyOf, enum: values } = schema;
	if (type !== undefined && [type].flat().includes('null')) return schema;
	return {
		...schema,
		...(type === undefined ? {} : { type: [...[type].flat(), 'null'] }),
		...(anyOf ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
		...(values ? { enum: [...new Set([...values, null])] } : {}),
	};
}
