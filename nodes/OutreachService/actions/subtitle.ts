import { RESOURCES } from './index';

/** Flat, because n8n takes the two closing braces of a nested object for the end of the expression. */
const NAMES = Object.fromEntries(
	RESOURCES.flatMap((resource) =>
		resource.operations.map((operation) => [
			`${operation.value}: ${resource.value}`,
			`${operation.name}: ${resource.name}`,
		]),
	),
);

/** The text under the node on the canvas: operation and resource, as the lists name them. */
export const actionSubtitle = `={{ (${JSON.stringify(NAMES)})[$parameter["operation"] + ": " + $parameter["resource"]] || $parameter["operation"] }}`;
