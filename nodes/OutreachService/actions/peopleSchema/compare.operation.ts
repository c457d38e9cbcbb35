/** The operation *Compare* of the people schema. */
import { z } from 'zod';

import { isJsonObject, parseJson } from '../../utils/json';
import { settleSync } from '../../utils/settle';
import { oneOf } from '../../parameters/values';
import type { Item, Operation } from '../operation';
import { currentSchema, DOCUMENTED_PEOPLE_FIELDS, isOfPeople } from './documentedFields';
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

/** The fields in the earlier schema. @throws NodeOperationError if it is none */
function readEarlierFields({ parameters }: Item): readonly SchemaField[] {
	const json = parameters.jsonAt('baselineSchema');
	const refuse = (reason: string): Error => parameters.parameterError('baselineSchema', reason);
	if (json === '') throw refuse('It is empty');
	const parsed = parseJson(json);
	if (parsed === undefined) throw refuse('It is not valid JSON');
	const schema = unwrapped(parsed);
	const { data: listed } = fieldsSchema.safeParse(schema);
	const read = settleSync(() => listed ?? fieldsOf(readSchema(schema)));
	if (!read.ok || !isOfPeople(read.value)) throw refuse(NO_SCHEMA);
	return read.value;
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
		const before = baseline === 'custom' ? readEarlierFields(item) : DOCUMENTED_PEOPLE_FIELDS;
		const { fields } = await currentSchema(item);
		return [compareFields(before, fields)];
	},
};
