import type { IExecuteFunctions } from 'n8n-workflow';

import { compareFields } from './compareFields';
import { parseJson } from '../../utils/json';
import { DOCUMENTED_PEOPLE_FIELDS } from './documentedFields';
import { readSchemaFields, type SchemaField } from './schemaFields';
import { getPeopleSchema } from '../../api/webhooks';
import type { Operation } from '../operation';
import { parameterError, readParameter } from '../parameters';
import { choice } from '../values';
import { readFields } from './readFields';

const LABELS = { baseline: 'Compare With', baselineSchema: 'Earlier Schema' };

function readBaseline(ctx: IExecuteFunctions, itemIndex: number): readonly SchemaField[] {
	const schema = choice(['documented', 'custom']);
	if (readParameter(ctx, itemIndex, 'baseline', schema, LABELS) !== 'custom') {
		return DOCUMENTED_PEOPLE_FIELDS;
	}
	const given: unknown = ctx.getNodeParameter('baselineSchema', itemIndex, '');
	const parsed = typeof given === 'string' ? parseJson(given) : given;
	const fields = readSchemaFields(parsed);
	if (fields) return fields;
	const reason =
		parsed === undefined
			? 'It is no valid JSON'
			: "It is no schema. Paste the output of the operation Get ('Raw' or 'Fields') from an earlier run";
	throw parameterError(ctx, itemIndex, LABELS.baselineSchema, reason);
}

/** Says what has changed in the definition of the People record (§9.2). */
export const compare: Operation = {
	value: 'compare',
	name: 'Compare',
	action: 'Compare people schema',
	description: 'Tell which fields of the People records were added, removed or got another type',
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
					description: 'The definition in version 1.0.0 of the interface',
				},
				{
					name: 'Earlier Schema',
					value: 'custom',
					description: 'What the operation Get gave at an earlier time',
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
			description: "The output of the operation Get, 'Raw' or 'Fields', from an earlier run",
			displayOptions: { show: { baseline: ['custom'] } },
		},
	],
	async run(ctx, itemIndex) {
		const baseline = readBaseline(ctx, itemIndex);
		const current = readFields(ctx, await getPeopleSchema(ctx, { itemIndex }), itemIndex);
		return [{ ...compareFields(baseline, current) }];
	},
};
