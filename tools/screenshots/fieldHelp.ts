import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/OutreachService/actions';
import { triggerProperties } from '../../nodes/OutreachService/trigger/description/properties';
import type { Editor } from './editor';
import { actionNode, createManualWorkflow, triggerNode, type Environment } from './environment';

/** A field's label, and the text of its tooltip. */
type Help = { label: string; text: string };

const isField = (option: object): option is INodeProperties => 'type' in option;
const isGroup = (option: object): option is INodePropertyCollection => 'values' in option;

/** The expected tooltips for a list of properties, including those in collections. */
function helpOf(properties: readonly INodeProperties[]): Help[] {
	return properties.flatMap(({ displayName, description, type, options = [] }) => {
		// Of a filter, n8n shows no description: a notice says what to enter.
		if (type === 'notice' || type === 'filter') return [];
		if (type === 'collection') return helpOf(options.filter(isField));
		const own = description === undefined ? [] : [{ label: displayName, text: description }];
		if (type !== 'fixedCollection') return own;
		return [...own, ...options.filter(isGroup).flatMap(({ values }) => helpOf(values))];
	});
}

/** Parameters with every field of every collection, so that the editor shows all fields. */
const allCollectionFields = (properties: readonly INodeProperties[]): Record<string, unknown> =>
	Object.fromEntries(
		properties
			.filter(({ type }) => type === 'collection')
			.map(({ name, options = [] }) => [
				name,
				Object.fromEntries(options.filter(isField).map((field) => [field.name, valueOf(field)])),
			]),
	);

/** The default value of a field; of groups of fields, one of each. */
function valueOf(field: INodeProperties): unknown {
	if (field.type !== 'fixedCollection') return field.default;
	const valuesOf = ({ values }: INodePropertyCollection) =>
		Object.fromEntries(values.map((one) => [one.name, valueOf(one)]));
	const isList = field.typeOptions?.multipleValues === true;
	return Object.fromEntries(
		(field.options ?? [])
			.filter(isGroup)
			.map((group) => [group.name, isList ? [valuesOf(group)] : valuesOf(group)]),
	);
}

/**
 * Checks the tooltip of each field of the open node.
 *
 * @throws if a tooltip differs or is cut off
 */
async function checkHelp(editor: Editor, expected: readonly Help[]): Promise<void> {
	for (const { label, text } of expected) {
		const shown = await editor.helpOf(label);
		if (shown !== text) throw new Error(`The tooltip of '${label}' shows: ${shown ?? 'nothing'}`);
	}
}

/** Checks the tooltip of every field of both nodes. */
export async function checkFieldHelp(editor: Editor, environment: Environment): Promise<void> {
	const { id } = await environment.server.client.createWorkflow({
		name: 'Help',
		nodes: [triggerNode(environment.credential, allCollectionFields(triggerProperties))],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	await checkHelp(editor, helpOf(triggerProperties));

	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation, action, properties } of operations) {
			const parameters = {
				resource,
				operation,
				baseline: 'custom',
				...allCollectionFields(properties),
			};
			const node = actionNode(environment.credential, action, parameters);
			await editor.open(await createManualWorkflow(environment, action, [node]));
			await editor.openNode(action);
			await checkHelp(editor, helpOf(properties));
		}
	}
}
