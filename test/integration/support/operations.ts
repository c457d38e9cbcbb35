import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { actionProperties, RESOURCES } from '../../../nodes/OutreachService/actions';
import { filtersField } from '../../../nodes/OutreachService/actions/webhook/filters';

const chosenSchema = z.object({ resource: z.string(), operation: z.string() });

/** An operation in words: 'webhook: create'. */
export function operationIn(parameters: INodeParameters): string {
	const { resource, operation } = chosenSchema.parse(parameters);
	return `${resource}: ${operation}`;
}

/** Every operation of the action node. A test that has a list of operations compares it with this one. */
export const EVERY_OPERATION: readonly string[] = RESOURCES.flatMap(
	({ value: resource, operations }) =>
		operations.map(({ value: operation }) => operationIn({ resource, operation })),
).sort();

/** The fields that n8n shows for an operation: its own, and those that all operations have. */
const fieldsOf = (resource: string, operation: string): INodeProperties[] =>
	actionProperties
		.filter(({ name }) => name !== 'resource' && name !== 'operation')
		.filter(({ displayOptions }) => {
			// A field without such a condition is shown for all resources, or for all operations.
			const isForResource = displayOptions?.show?.resource?.includes(resource) ?? true;
			const isForOperation = displayOptions?.show?.operation?.includes(operation) ?? true;
			return isForResource && isForOperation;
		});

/** The labels of the fields that a person can fill in: for a collection, those in it. */
const labelsOf = (property: INodeProperties): string[] => {
	if (property.type === 'notice') return [];
	if (property.type !== 'collection') return [property.displayName];
	return (property.options ?? []).flatMap((one) => ('type' in one ? labelsOf(one) : []));
};

/** Every field of every operation: 'webhook: create: Target URL'. */
export const EVERY_FIELD: readonly string[] = RESOURCES.flatMap(({ value: resource, operations }) =>
	operations.flatMap(({ value: operation }) =>
		fieldsOf(resource, operation)
			.flatMap(labelsOf)
			.map((label) => `${operationIn({ resource, operation })}: ${label}`),
	),
);

/** The operations in a list of parameters, each once, sorted as in `EVERY_OPERATION`. */
export const operationsIn = (parameters: readonly INodeParameters[]): string[] =>
	[...new Set(parameters.map(operationIn))].sort();

/** The operations of webhooks that have the filters. */
export const FILTERING_OPERATIONS: readonly string[] = RESOURCES.flatMap(
	({ operations }) => operations,
)
	.filter(({ properties }) => properties.some(({ name }) => name === filtersField.name))
	.map(({ value }) => value);

/** The filters. */
export const FILTERS: ReadonlyArray<{ label: string; name: string }> = (
	filtersField.options ?? []
).flatMap((filter) => ('type' in filter ? [{ label: filter.displayName, name: filter.name }] : []));
