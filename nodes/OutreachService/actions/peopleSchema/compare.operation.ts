import { compareFields } from './compareFields';
import { parseJson } from '../../utils/json';
import { DOCUMENTED_PEOPLE_FIELDS } from './documentedFields';
import { readSchemaFields, type SchemaField } from './schemaFields';
import type { Item, Operation } from '../operation';
import { parameterError, readParameter } from '../parameters';
import { baselineSchema } from '../values';
import { readFields, withoutItems } from './readFields';

function readBaseline(item: Item): readonly SchemaField[] {
	if (readParameter(item, 'baseline', baselineSchema) !== 'custom') return DOCUMENTED_PEOPLE_FIELDS;
	const given: unknown = item.ctx.getNodeParameter('baselineSchema', item.index, '');
	const parsed = withoutItems(typeof given === 'string' ? parseJson(given) : given);
	const fields = readSchemaFields(parsed);
	if (fields) return fields;
	const reason =
		parsed === undefined
			? 'It is not valid JSON'
			: 'It is not a schema. Paste the output of the operation Get from an earlier run';
	throw parameterError(item, 'baselineSchema', reason);
}

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
		const current = readFields(item, await item.client.getPeopleSchema());
		return [{ ...compareFields(baseline, current) }];
	},
};
