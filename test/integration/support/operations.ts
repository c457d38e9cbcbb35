import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { RESOURCES } from '../../../nodes/OutreachService/actions';
import { byId } from './action';

/** With these values, each operation runs. An operation ignores those of the others. */
const USABLE = {
	targetUrl: 'https://crm.test/in',
	event: 'warmed',
	webhookId: byId('hoo_1'),
	filters: { event: 'warmed' },
	dryRun: false,
	baseline: 'custom',
	baselineSchema: '{"full_name":"string"}',
	method: 'POST',
	path: '/leads',
} satisfies INodeParameters;

/** Every operation of the action node, and parameters with which it runs. */
export const EVERY_OPERATION = RESOURCES.flatMap(({ value: resource, operations }) =>
	operations.map(({ value: operation, properties }) => ({
		operation: `${resource}: ${operation}`,
		properties,
		parameters: { resource, operation, ...USABLE } satisfies INodeParameters,
	})),
);

/** A field that a person can fill in, and the parameters with a text or an expression in it. */
type Field = { label: string; withValue: (value: string) => INodeParameters };

/** The fields of a property: that of the property itself, or for a collection those in it. */
function fieldsIn(property: INodeProperties): Field[] {
	const { name, type, displayName: label, options = [] } = property;
	if (type === 'notice') return [];
	if (type === 'resourceLocator') return [{ label, withValue: (id) => ({ [name]: byId(id) }) }];
	if (type !== 'collection') return [{ label, withValue: (value) => ({ [name]: value }) }];
	const others = name === 'filters' ? USABLE.filters : {};
	return options.flatMap((option) =>
		'type' in option
			? fieldsIn(option).map((field) => ({
					label: field.label,
					withValue: (value) => ({ [name]: { ...others, ...field.withValue(value) } }),
				}))
			: [],
	);
}

/** Every field of every operation. */
export const EVERY_FIELD = EVERY_OPERATION.flatMap(({ operation, properties, parameters }) =>
	properties.flatMap(fieldsIn).map(({ label, withValue }) => ({
		operation,
		label,
		withValue: (value: string): INodeParameters => ({ ...parameters, ...withValue(value) }),
	})),
);

/** The names of the filters. */
export const FILTERS = ['campaignId', 'event', 'targetUrl'];
