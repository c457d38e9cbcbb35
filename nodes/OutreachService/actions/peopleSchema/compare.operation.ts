/** The operation *Compare* of the people schema. */
import { RequestError, toNodeError } from '../../api/errors';
import { isJsonObject, parseJson } from '../../utils/json';
import { oneOf } from '../../parameters/values';
import type { Item, Operation } from '../operation';
import { DOCUMENTED_PEOPLE_FIELDS, parseCurrentSchema } from './documentedFields';
import { parseSchema } from './notations';
import { fieldsOf, type SchemaField } from './schema';

/** The type of a field, as items show it: `string`, or `string[]` for a list. */
const typeText = ({ type, isArray }: SchemaField): string => (isArray ? `${type}[]` : type);

/** The maximum number of levels of a path. */
const MAX_LEVELS = 100;

/**
 * Compares two people schemas (§9.2). A schema may leave the type of a field open: `unknown`, for a
 * null or an empty list in a sample. If either of them does so, a different type of that field is no change, nor are
 * fields inside it.
 * @returns whether anything has changed, and the fields that were added, removed, or got another type
 */
export function compareFields(before: readonly SchemaField[], now: readonly SchemaField[]) {
	const open = new Set(
		[...before, ...now].filter(({ type }) => type === 'unknown').map(({ path }) => path),
	);
	/** Whether the type of every field around a field is known. */
	const isInKnown = ({ path }: SchemaField): boolean => {
		let outer = '';
		return path.split(/(?=\.|\[\])/, MAX_LEVELS).every((part) => {
			const isOpen = open.has(outer);
			outer += part;
			return !isOpen;
		});
	};
	const byPath = (fields: readonly SchemaField[]): Map<string, SchemaField> =>
		new Map(fields.filter(isInKnown).map((field) => [field.path, { ...field }]));
	const old = byPath(before);
	const current = byPath(now);
	const changes = {
		added: [...current.values()].filter(({ path }) => !old.has(path)),
		removed: [...old.values()].filter(({ path }) => !current.has(path)),
		retyped: [...current.values()]
			.map((field) => ({
				path: field.path,
				from: typeText(old.get(field.path) ?? field),
				to: typeText(field),
			}))
			.filter(({ path, from, to }) => from !== to && !open.has(path)),
	};
	return { changed: Object.values(changes).some(({ length }) => length > 0), ...changes };
}

const NO_SCHEMA =
	'It is not a schema. Paste the whole output of the operation Get from an earlier run';

/** The JSON of an item, which an expression such as `$('Get people schema').all()` returns; any other value as it is. */
const withoutItem = (value: unknown): unknown =>
	isJsonObject(value) && isJsonObject(value.json) ? value.json : value;

/** Reads the schema to compare with. @throws NodeOperationError when it is no schema */
function readBaseline(item: Item): readonly SchemaField[] {
	const baseline = oneOf(['documented', 'custom']).default('documented');
	switch (item.parameters.read('baseline', baseline)) {
		case 'documented':
			return DOCUMENTED_PEOPLE_FIELDS;
		case 'custom':
			return readEarlierSchema(item);
	}
}

/** Reads the field *Earlier Schema*. @throws NodeOperationError when it is no schema */
function readEarlierSchema(item: Item): readonly SchemaField[] {
	const entered = item.parameters.jsonAt('baselineSchema') ?? '';
	if (entered === '') throw item.parameters.parameterError('baselineSchema', 'It is empty');
	const parsed = typeof entered === 'string' ? parseJson(entered) : entered;
	if (parsed === undefined)
		throw item.parameters.parameterError('baselineSchema', 'It is not valid JSON');
	try {
		return fieldsOf(
			parseSchema(Array.isArray(parsed) ? parsed.map(withoutItem) : withoutItem(parsed)),
		);
	} catch (error) {
		// Any other error is a fault of the node, and not of what the user has pasted.
		if (!(error instanceof RequestError)) throw toNodeError(item.ctx.getNode(), error, item.index);
		throw item.parameters.parameterError('baselineSchema', NO_SCHEMA);
	}
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
		const baseline = readBaseline(item);
		const current = fieldsOf(parseCurrentSchema(await item.client.getPeopleSchema()));
		// A baseline that shares no field with the current schema is no schema, but other JSON such as an error: each of
		// its fields would be reported as removed.
		const paths = new Set(current.map(({ path }) => path));
		if (baseline !== DOCUMENTED_PEOPLE_FIELDS && !baseline.some(({ path }) => paths.has(path))) {
			throw item.parameters.parameterError('baselineSchema', NO_SCHEMA);
		}
		return [compareFields(baseline, current)];
	},
};
