import { isJsonObject } from '../../model/schemas';
import { parseJson } from '../../utils/json';
import { choice, parameterError, readParameter, type Item, type Operation } from '../operation';
import { compareFields } from './compareFields';
import { DOCUMENTED_PEOPLE_FIELDS } from './documentedFields';
import { readSchema } from './get.operation';
import { fieldsOf, isField, parseSchema, TOO_LARGE, type SchemaField } from './schema';

/** What items hold: an expression such as `$('Get people schema').all()` returns the items themselves. */
function withoutItems(given: unknown): unknown {
	const isItem = (one: unknown): one is { json: unknown } =>
		isJsonObject(one) && isJsonObject(one.json);
	if (isItem(given)) return given.json;
	const isList = Array.isArray(given) && given.length > 0 && given.every(isItem);
	return isList ? given.map(({ json }) => json) : given;
}

/** @throws NodeOperationError when it is no schema */
function readBaseline(item: Item): readonly SchemaField[] {
	const baseline = choice(['documented', 'custom']).default('documented');
	if (readParameter(item, 'baseline', baseline) === 'documented') return DOCUMENTED_PEOPLE_FIELDS;
	const refuse = (reason: string) => parameterError(item, 'baselineSchema', reason);
	const given: unknown = item.ctx.getNodeParameter('baselineSchema', item.index, '');
	const parsed = withoutItems(typeof given === 'string' ? parseJson(given) : given);
	if (parsed === undefined) throw refuse('It is not valid JSON');
	if (isField(parsed)) {
		throw refuse('It is a single field. Use all items of the operation Get, and not one of them');
	}
	const tree = parseSchema(parsed);
	if (tree === TOO_LARGE) throw refuse('It is too large');
	if (tree === undefined) throw refuse(NO_SCHEMA);
	return fieldsOf(tree);
}

const NO_SCHEMA = 'It is not a schema. Paste the output of the operation Get from an earlier run';

/** Says what has changed in the definition of the People record (§9.2). */
export const compare: Operation = {
	value: 'compare',
	name: 'Compare',
	action: 'Compare people schema',
	description:
		'Find out which fields of the People records were added, removed or got another type',
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
					description: 'The definition in version 1.0.0 of the API spec',
				},
				{
					name: 'Earlier Schema',
					value: 'custom',
					description: 'The output of the operation Get from an earlier run',
				},
			],
			description: 'What the current definition is compared with',
		},
		{
			displayName: 'Earlier Schema',
			name: 'baselineSchema',
			type: 'json',
			default: '',
			required: true,
			placeholder: 'e.g. {"full_name": "string"}',
			description: 'The output of the operation Get from an earlier run, in any of its formats',
			displayOptions: { show: { baseline: ['custom'] } },
		},
	],
	async run(item) {
		const baseline = readBaseline(item);
		const current = fieldsOf(readSchema(item, await item.client.getPeopleSchema()));
		// Of an error, a number or anything else in JSON, every field would have to be reported as removed.
		const paths = new Set(current.map(({ path }) => path));
		if (baseline !== DOCUMENTED_PEOPLE_FIELDS && !baseline.some(({ path }) => paths.has(path))) {
			throw parameterError(item, 'baselineSchema', NO_SCHEMA);
		}
		return [{ ...compareFields(baseline, current) }];
	},
};
