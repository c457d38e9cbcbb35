import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Descriptions for n8n's editor have no behavior; test/unit/texts checks that they are complete and well written. */
const REASON = 'describes a node for the editor';

/** A literal list of fields or event types. A list that is composed of other lists is code, and is mutated. */
function isDescriptionType({ id, init }) {
	const isLiteral =
		init?.type === 'ObjectExpression' ||
		(init?.type === 'ArrayExpression' &&
			init.elements.every(({ type }) => type !== 'SpreadElement'));
	return (
		isLiteral && /"(INodeProperties|EventTypes)"/.test(JSON.stringify(id.typeAnnotation ?? ''))
	);
}

/** The properties of a node or credential class that describe it. */
const DESCRIPTIVE_PROPERTIES = [
	'description',
	'name',
	'displayName',
	'icon',
	'documentationUrl',
	'properties',
];

const keyOf = ({ key }) => key?.name;

/** A text of an operation or resource, as opposed to its value, which workflows store. */
function isOperationText({ node, parent }) {
	if (!['name', 'action', 'description'].includes(keyOf(node))) return false;
	return parent.properties?.some((one) => ['run', 'operations'].includes(keyOf(one))) ?? false;
}

function shouldIgnore(path) {
	const { node } = path;
	const isDescription =
		(node.type === 'ClassProperty' && DESCRIPTIVE_PROPERTIES.includes(keyOf(node))) ||
		(node.type === 'VariableDeclarator' && isDescriptionType(node)) ||
		(node.type === 'ObjectProperty' &&
			((keyOf(node) === 'properties' && node.value.type === 'ArrayExpression') ||
				isOperationText(path)));
	return isDescription ? REASON : undefined;
}

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'descriptions', { shouldIgnore }),
];
