/** What the action node can do, and how n8n lists it. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { request } from './api/request.operation';
import type { Operation } from './operation';
import { compare } from './peopleSchema/compare.operation';
import { get as getSchema } from './peopleSchema/get.operation';
import { checkMany } from './webhook/check.operation';
import { create } from './webhook/create.operation';
import { deleteOne } from './webhook/delete.operation';
import { deleteMany } from './webhook/deleteMany.operation';
import { get } from './webhook/get.operation';
import { getAll } from './webhook/getAll.operation';
import { rotateSecret } from './webhook/rotateSecret.operation';
import { sendTest } from './webhook/sendTest.operation';

type Resource = {
	value: string;
	name: string;
	description: string;
	/** The operation that is preselected. */
	preselected: Operation;
	operations: readonly Operation[];
};

/** Everything that the action node can do, in the order of n8n's lists. n8n's lists and the dispatch are both made from this. */
export const RESOURCES: readonly Resource[] = [
	{
		value: 'webhook',
		name: 'Webhook',
		description: 'A URL that the service calls when something happens',
		preselected: getAll,
		operations: [checkMany, create, deleteOne, deleteMany, get, getAll, rotateSecret, sendTest],
	},
	{
		value: 'peopleSchema',
		name: 'People Schema',
		description: 'Which fields the records in the People database have',
		preselected: getSchema,
		operations: [compare, getSchema],
	},
	{
		value: 'api',
		name: 'API',
		description: 'Any other request to the API of the service',
		preselected: request,
		operations: [request],
	},
];

/** The fields of an operation, shown for this operation only. A field keeps its own display conditions beside that. */
function shownFor(resource: Resource, { value, properties }: Operation): INodeProperties[] {
	return properties.map((property) => ({
		...property,
		displayOptions: {
			...property.displayOptions,
			show: { resource: [resource.value], operation: [value], ...property.displayOptions?.show },
		},
	}));
}

function optionOf({
	name,
	value,
	action,
	description,
	builderHint,
}: Operation): INodePropertyOptions {
	const option = { name, value, action, description };
	return builderHint ? { ...option, builderHint } : option;
}

function operationSelector(resource: Resource): INodeProperties {
	const preselected = resource.preselected.value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options: resource.operations.map(optionOf),
		default: preselected,
	};
}

const SUBTITLES: Readonly<Record<string, string>> = Object.fromEntries(
	RESOURCES.flatMap((resource) =>
		resource.operations.map((operation) => [
			`${resource.value}.${operation.value}`,
			`${operation.name}: ${resource.name}`,
		]),
	),
);

/**
 * The text under the node on the canvas: 'Get Many: Webhook'. It is an expression, so the texts in it are one flat object:
 * two closing braces in a row would end it.
 */
export const actionSubtitle: `={{${string}}}` = `={{ (${JSON.stringify(SUBTITLES)})[$parameter["resource"] + "." + $parameter["operation"]] }}`;

/** The parameters of the action node. */
export const actionProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: RESOURCES.map(({ name, value, description }) => ({ name, value, description })),
		default: 'webhook',
	},
	...RESOURCES.map(operationSelector),
	...RESOURCES.flatMap((resource) =>
		resource.operations.flatMap((operation) => shownFor(resource, operation)),
	),
];
