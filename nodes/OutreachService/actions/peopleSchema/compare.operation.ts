/** The operation *Compare* of the people schema. */
import { z } from 'zod';

import { RequestError } from '../../api/errors';
import { isJsonObject, parseJson } from '../../utils/json';
import { settleSync } from '../../utils/settle';
import { oneOf } from '../../parameters/values';
import { perExecution, type Item, type Operation } from '../operation';
import { currentSchema, DOCUMENTED_PEOPLE_FIELDS } from './documentedFields';
import { readSchema } from './readSchema';
import { fieldsOf, type SchemaField } from './schema';

/** The type of a field, as items show it: `string`, or `string[]` for a list. */
const typeText = ({ type, isArray }: SchemaField): string => (isArray ? `${type}[]` : type);

/**
 * Compares two people schemas (§9.2).
 * @returns whether anything has changed, and the fields that were added, removed, or got another type
 */
export function compareFields(before: readonly SchemaField[], now: readonly SchemaField[]) {
	const byPath = (fields: readonly SchemaField[]): Map<string, SchemaField> =>
		new Map(fields.map((field) => [field.path, field]));
	const old = byPath(before);
	const current = byPath(now);
	const changes = {
		added: now.filter(({ path }) => !old.has(path)),
		removed: before.filter(({ path }) => !current.has(path)),
		retyped: [...current]
			.map(([path, field]) => ({ path, was: old.get(path) ?? field, field }))
			// A type that is not known may be the same.
			.filter(({ was, field }) => ![was.type, field.type].includes('unknown'))
			.map(({ path, was, field }) => ({ path, from: typeText(was), to: typeText(field) }))
			.filter(({ from, to }) => from !== to),
	};
	const changed = Object.values(changes).some(({ length }) => length > 0);
	// A copy, because it becomes an item: a later change of an item must not change the documented fields.
	return { changed, ...structuredClone(changes) };
}

const BASELINES = ['documented', 'custom'] as const;

const NO_SCHEMA =
	'It is not a schema. Paste the whole output of the operation Get from an earlier run';

/** An earlier output of *Get* with *Fields*. */
const fieldsSchema = z
	.array(z.object({ path: z.string(), type: z.string(), isArray: z.boolean() }))
	.min(1);

/** What an item of n8n holds; anything else as it is. */
const inItem = (value: unknown): unknown =>
	isJsonObject(value) && isJsonObject(value.json) ? value.json : value;

/** The schema in what a user has entered: in a list of one, in an item of n8n, or in what the node *Aggregate* makes of items. */
function unwrapped(entered: unknown): unknown {
	const value = inItem(entered);
	if (Array.isArray(value)) {
		const items = value.map(inItem);
		return items.length === 1 ? unwrapped(items[0]) : items;
	}
	const isAggregate = isJsonObject(value) && Object.keys(value).length === 1;
	return isAggregate && Array.isArray(value.data) ? unwrapped(value.data) : value;
}

/** The fields of an earlier schema. @throws NodeOperationError when it is no schema */
function fieldsIn(item: Item, json: string): readonly SchemaField[] {
	const refuse = (reason: string): Error =>
		item.parameters.parameterError('baselineSchema', reason);
	const parsed = parseJson(json);
	if (parsed === undefined) throw refuse('It is not valid JSON');
	const schema = unwrapped(parsed);
	const listed = fieldsSchema.safeParse(schema);
	if (listed.success) return listed.data;
	const read = settleSync(() => fieldsOf(readSchema(schema)));
	if (read.ok) return read.value;
	// Any other error is a fault of the node, and not of what the user has pasted.
	throw read.error instanceof RequestError ? refuse(NO_SCHEMA) : read.error;
}

/** What the current schema is compared with, and the result once it is known. */
type Baseline = {
	fields: readonly SchemaField[];
	comparison?: ReturnType<typeof compareFields>;
};

/** The baselines by the JSON of the earlier schema, empty for the documented one: each is read and compared once. */
const baselines = perExecution(() => new Map<string, Baseline>());

/** Reads the field *Earlier Schema* as JSON. @throws NodeOperationError when it is empty */
function readEarlierSchema(item: Item): string {
	const json = item.parameters.jsonAt('baselineSchema');
	if (json === '') throw item.parameters.parameterError('baselineSchema', 'It is empty');
	return json;
}

/** Says what has changed in the people schema (§9.2). */
export const compare: Operation = {
	value: 'compare',
	name: 'Compare',
	action: 'Compare people schema',
	description: 'Find out which fields of the people schema were added, removed or changed',
	properties: [
		{
			displayName: 'Compare With',
			name: 'baseline',
			type: 'options',
			default: 'documented',
			options: [
				{
					name: 'Documented Schema',
					value: 'documented',
					description: 'The schema that version 1.0.0 of the API documents',
				},
				{
					name: 'Earlier Schema',
					value: 'custom',
					description: 'The output of the operation Get from an earlier run',
				},
			],
			description: 'What the current schema is compared with',
		},
		{
			displayName: 'Earlier Schema',
			name: 'baselineSchema',
			type: 'json',
			default: '',
			required: true,
			placeholder: 'e.g. {"full_name": "string"}',
			description:
				"The output of the operation Get from an earlier run, with any value of 'Output'",
			displayOptions: { show: { baseline: ['custom'] } },
		},
	],
	async run(item) {
		const baseline = item.parameters.read('baseline', oneOf(BASELINES).default('documented'));
		const json = baseline === 'custom' ? readEarlierSchema(item) : '';
		const known = baselines(item);
		const before = known.get(json) ?? {
			fields: json === '' ? DOCUMENTED_PEOPLE_FIELDS : fieldsIn(item, json),
		};
		known.set(json, before);
		const schema = await currentSchema(item);
		if (before.comparison) return [before.comparison];
		const current = fieldsOf(schema);
		// A baseline that shares no field with the current schema is no schema, but other JSON such as an error: each of
		// its fields would be reported as removed.
		const paths = new Set(current.map(({ path }) => path));
		if (!before.fields.some(({ path }) => paths.has(path))) {
			throw item.parameters.parameterError('baselineSchema', NO_SCHEMA);
		}
		before.comparison = compareFields(before.fields, current);
		return [before.comparison];
	},
};
