import type { INodeProperties } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/OutreachService/actions';
import { triggerProperties } from '../../nodes/OutreachService/trigger/description/properties';
import type { Editor } from './editor';
import { actionNode, createManualWorkflow, triggerNode, type World } from './world';

/** A field with its label, and the text behind the question mark. */
type Help = { label: string; text: string };

const isField = (option: object): option is INodeProperties => 'type' in option;

/** What n8n has to show for a list of properties, those inside of collections too. */
function helpOf(properties: readonly INodeProperties[]): Help[] {
	return properties.flatMap(({ displayName, description, type, options = [] }) => {
		if (type === 'notice') return [];
		if (type === 'collection') return helpOf(options.filter(isField));
		return description === undefined ? [] : [{ label: displayName, text: description }];
	});
}

/** Every field of every collection, with a value that shows it. */
const filledIn = (properties: readonly INodeProperties[]): Record<string, unknown> =>
	Object.fromEntries(
		properties
			.filter(({ type }) => type === 'collection')
			.map(({ name, options = [] }) => [
				name,
				Object.fromEntries(options.filter(isField).map((field) => [field.name, field.default])),
			]),
	);

/** Reads the question mark of each field of the open node. Throws when one says something else, or is cut off. */
async function readHelp(editor: Editor, wanted: readonly Help[]): Promise<void> {
	for (const { label, text } of wanted) {
		const shown = await editor.helpOf(label);
		if (shown !== text) throw new Error(`The help of '${label}' says: ${shown ?? 'nothing'}`);
	}
}

/** Hovers over the question mark of every field of both nodes. */
export async function readEveryHelp(editor: Editor, world: World): Promise<void> {
	const { id } = await world.server.client.createWorkflow({
		name: 'Help',
		nodes: [triggerNode(world.credential, filledIn(triggerProperties))],
		connections: {},
	});
	await editor.open(id);
	await editor.openNode('Outreach Service Trigger');
	await readHelp(editor, helpOf(triggerProperties));

	for (const { value: resource, operations } of RESOURCES) {
		for (const { value: operation, action, properties } of operations) {
			const parameters = { resource, operation, baseline: 'custom', ...filledIn(properties) };
			const node = actionNode(world.credential, action, parameters);
			await editor.open(await createManualWorkflow(world, action, [node]));
			await editor.openNode(action);
			await readHelp(editor, helpOf(properties));
		}
	}
}
