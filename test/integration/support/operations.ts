import type { INodeParameters } from 'n8n-workflow';

import { RESOURCES } from '../../../nodes/OutreachService/actions';

/** An operation in words: 'webhook: create'. */
export const operationIn = ({ resource, operation }: INodeParameters): string =>
	`${String(resource)}: ${String(operation)}`;

/** Every operation of the action node. A test that has a list of operations compares it with this one. */
export const EVERY_OPERATION: readonly string[] = RESOURCES.flatMap(
	({ value: resource, operations }) =>
		operations.map(({ value: operation }) => operationIn({ resource, operation })),
).sort();

/** The operations in a list of parameters, each once, in the order of `EVERY_OPERATION`. */
export const operationsIn = (parameters: readonly INodeParameters[]): string[] =>
	[...new Set(parameters.map(operationIn))].sort();
