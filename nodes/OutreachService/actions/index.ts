import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { labelsOf } from '../model/labels';
import type { Execution, Operation, Resource, Result } from './operation';
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

/** Everything that the action node can do. n8n's lists and the dispatch are both made from this. */
export const RESOURCES: readonly Resource[] = [
	{
		value: 'peopleSchema',
		name: 'People Schema',
		description: 'The definition of the records in the People database',
		preselected: getSchema,
		operations: [compare, getSchema],
	},
	{
		value: 'webhook',
		name: 'Webhook',
		description: 'A URL that the service calls when something happens',
		preselected: getAll,
		operations: [checkMany, create, deleteOne, deleteMany, get, getAll, rotateSecret, sendTest],
	},
];

/** An operation's fields appear for this operation only; a condition of a field's own is kept beside it. */
function shownFor(resource: Resource, { value, properties }: Operation): INodeProperties[] {
	return properties.map((property) => ({
		...property,
		displayOptions: {
			...property.displayOptions,
			show: { resource: [resource.value], operation: [value], ...property.displayOptions?.show },
		},
	}));
}

function operationSelector(resource: Resource): INodeProperties {
	const preselected = resource.preselected.value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options: resource.operations.map(({ name, value, action, description, builderHint }) => ({
			name,
			value,
			action,
			description,
			...(builderHint ? { builderHint } : {}),
		})),
		default: preselected,
	};
}

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

/**
 * The operation that is chosen for an item.
 * @throws NodeOperationError when an expression or an AI agent chose one that does not exist
 */
function operationOf(ctx: IExecuteFunctions, itemIndex: number): Operation {
	const resourceName = ctx.getNodeParameter('resource', itemIndex, 'webhook');
	const operationName = ctx.getNodeParameter('operation', itemIndex, 'getAll');
	const operation = RESOURCES.find(({ value }) => value === resourceName)?.operations.find(
		({ value }) => value === operationName,
	);
	if (operation) return operation;
	throw new NodeOperationError(
		ctx.getNode(),
		`There is no operation '${operationName}' for '${resourceName}'`,
		{ itemIndex, description: "Choose one in 'Resource' and 'Operation'." },
	);
}

/**
 * Runs the chosen operation for one item.
 * @throws NodeOperationError when there is no such operation, and whatever the operation throws
 */
export async function runOperation(execution: Execution, index: number): Promise<Result> {
	const operation = operationOf(execution.ctx, index);
	const labels = labelsOf(operation.properties);
	return { operation, output: await operation.run({ ...execution, index, labels }) };
}
